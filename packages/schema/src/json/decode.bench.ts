import { decodeJson } from './decode.ts';

/**
 * Compares JSON.parse with the lossless decoder, for bodies of about 1 MiB and one small object. Prints MB/s and
 * microseconds per body, the best of several rounds.
 */
const container = {
  name: 'app',
  image: 'registry.example.com/team/app:1.2.3',
  ports: [{ containerPort: 8080, protocol: 'TCP' }],
  env: [{ name: 'JAVA_OPTS', value: '-Xmx512m "-Dfile.encoding=UTF-8"' }],
  resources: { limits: { cpu: '500m', memory: '128Mi' } },
};
const pod = (i: number) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `pod-${i}`, labels: { app: 'web', tier: `t${i % 7}` }, generation: i },
  spec: { containers: [container], terminationGracePeriodSeconds: 30, hostNetwork: false },
});
const bodies: Record<string, unknown> = {
  'a small pod': pod(1),
  pods: Array.from({ length: 2700 }, (_, i) => pod(i)),
  'a config map of texts of 200 characters': {
    data: Object.fromEntries(Array.from({ length: 4800 }, (_, i) => [`key-${i}`, 'some "text" in lines\n'.repeat(10)])),
  },
  'a config map of one text': { data: { blob: 'x'.repeat(1 << 20) } },
};

for (const [name, value] of Object.entries(bodies)) {
  for (const indent of [0, 2]) {
    const body = Buffer.from(JSON.stringify(value, null, indent));
    const plain = measure(body, () => JSON.parse(body.toString('utf8')));
    const whole = measure(body, () => decodeJson(body));
    console.log(
      `${name}${indent > 0 ? ', indented' : ''} (${body.length} bytes): JSON.parse ${rate(body, plain)}, decodeJson ${rate(body, whole)}`,
    );
  }
}

function rate(body: Buffer, us: number): string {
  return `${(body.length / us).toFixed(0)} MB/s, ${us.toFixed(1)} us`;
}

function measure(body: Buffer, work: () => unknown): number {
  const times = Math.max(3, Math.ceil(4e6 / body.length));
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 40; round++) {
    const begin = performance.now();
    for (let i = 0; i < times; i++) work();
    best = Math.min(best, ((performance.now() - begin) * 1000) / times);
  }
  return best;
}
