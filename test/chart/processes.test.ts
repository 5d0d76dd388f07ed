import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { variableOf } from '@tidegate/service-kit';
import { whyNoHelm } from '../support/helm.ts';
import { environmentOf, optionsOf, PARTS, parsedOptions } from './support/option-tables.ts';
import { type Manifest, matchesLabels, NAMESPACE, ofKind, render, valueSets, workloads } from './support/render.ts';

/** The longest time that a process needs to stop after the signal. */
const STOP_SECONDS = 10;

interface Running {
  part: string;
  pod: Manifest;
  container: Manifest;
  flags: ReadonlyMap<string, string>;
}

function parts(manifests: readonly Manifest[]): Running[] {
  return workloads(manifests)
    .filter(({ part }) => (PARTS as readonly string[]).includes(part))
    .map(({ part, pod }) => {
      const [container] = pod.containers;
      const flags = container.args.slice(1).map((text: string) => {
        const equals = text.indexOf('=');
        return [text.slice(2, equals), text.slice(equals + 1)] as const;
      });
      return { part, pod, container, flags: new Map<string, string>(flags) };
    });
}

describe('Processes of the chart', { skip: whyNoHelm() ?? false }, () => {
  for (const values of valueSets) {
    const manifests = whyNoHelm() === undefined ? render(values) : [];

    test(`With the values ${values}, processes get only known options, and all required ones.`, async () => {
      for (const { part, container } of parts(manifests)) {
        assert.equal(container.args[0], part);
        const env = environmentOf(container);
        await parsedOptions(part, container.args.slice(1), env);
        const variables = Object.keys(await optionsOf(part)).map(variableOf);
        for (const name of Object.keys(env).filter((one) => one.startsWith('TIDEGATE_'))) {
          assert.ok(variables.includes(name), `${part} reads no ${name}`);
        }
      }
    });

    test(`With the values ${values}, every file that an option names is mounted.`, () => {
      for (const { part, pod, flags } of parts(manifests)) {
        const files = [...flags].flatMap(([, value]) => value.split(',').filter((one) => one.startsWith('/etc/')));
        assert.ok(files.length >= 3);
        for (const file of files) assert.ok(isMounted(pod, file), `${part} has no ${file}`);
      }
    });

    test(`With the values ${values}, the DNS names in options resolve to all pods of the intended parts.`, () => {
      for (const { part, flags } of parts(manifests)) {
        for (const [option, wanted] of NAMES_IN) {
          const name = flags.get(option);
          if (name === undefined) continue;
          const [, service, port] = /^dns:\/\/\/([a-z-]+)\.control\.svc:(\d+)$/.exec(name) as unknown as string[];
          const found = ofKind(manifests, 'Service').find(({ metadata }) => metadata.name === service);
          assert.equal(found?.spec.clusterIP, 'None', `${part} --${option}`);
          const selected = workloads(manifests).filter(({ labels }) => matchesLabels(found.spec.selector, labels));
          assert.deepEqual(selected.map((one) => one.part).sort(), wanted);
          assert.deepEqual(
            found.spec.ports.map((one: Manifest) => one.port),
            [Number(port)],
          );
        }
      }
    });

    test(`With the values ${values}, the stores call the gateway by the name and port of its Service.`, () => {
      const service = ofKind(manifests, 'Service').find(({ metadata }) => metadata.name.endsWith('-gateway'));
      for (const { flags } of parts(manifests).filter(({ part }) => part === 'store')) {
        const url = new URL(flags.get('gateway-url') as string);
        assert.equal(url.hostname, `${service.metadata.name}.${NAMESPACE}.svc`);
        assert.equal(Number(url.port || 443), service.spec.ports[0].port);
      }
    });

    test(`With the values ${values}, Services and probes use ports on which the processes listen.`, () => {
      for (const { spec, metadata } of ofKind(manifests, 'Service')) {
        const selected = workloads(manifests).filter(({ labels }) => matchesLabels(spec.selector, labels));
        assert.ok(selected.length > 0, `${metadata.name} selects no pods`);
        for (const { pod } of selected) {
          const names = pod.containers[0].ports.map(({ name }: Manifest) => name);
          for (const { targetPort } of spec.ports)
            assert.ok(names.includes(targetPort), `${metadata.name} ${targetPort}`);
        }
      }
      for (const { container, flags, part } of parts(manifests)) {
        const numbers = new Map<string, number>(container.ports.map((one: Manifest) => [one.name, one.containerPort]));
        for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
          const { port, scheme, path } = container[probe].httpGet;
          const listener = scheme === 'HTTPS' ? flags.get('port') : flags.get('ops-address')?.split(':').at(-1);
          assert.equal(numbers.get(port), Number(listener), `${part} ${probe}`);
          assert.equal(path, probe === 'readinessProbe' ? '/readyz' : '/livez');
        }
        assert.equal(numbers.get('grpc'), Number(flags.get('grpc-address')?.split(':').at(-1)));
      }
    });

    test(`With the values ${values}, the grace period is long enough to stop a process.`, () => {
      for (const { part, pod, container, flags } of parts(manifests)) {
        const own = Number(/^(\d+)s$/.exec(flags.get('shutdown-delay-duration') ?? '')?.[1]);
        const waits = part === 'gateway' ? own : container.lifecycle.preStop.sleep.seconds;
        assert.equal(container.lifecycle === undefined, part === 'gateway', 'only one of the two delays the stop');
        assert.ok(waits >= 1);
        assert.ok(pod.terminationGracePeriodSeconds >= waits + STOP_SECONDS);
      }
    });

    test(`With the values ${values}, the heap limit of Node.js is half of the memory limit.`, () => {
      for (const { container } of parts(manifests)) {
        const limit = /^(\d+)(Mi|Gi)$/.exec(container.resources.limits.memory) as unknown as [string, string, string];
        const mib = Number(limit[1]) * (limit[2] === 'Gi' ? 1024 : 1);
        assert.equal(environmentOf(container).NODE_OPTIONS, `--max-old-space-size=${mib / 2}`);
      }
    });
  }

  test('Liveness probes use the ops port, so that a flood of client requests does not restart the gateway.', () => {
    for (const { container } of parts(render('default'))) {
      assert.equal(container.livenessProbe.httpGet.port, 'ops');
      assert.ok(container.livenessProbe.periodSeconds * container.livenessProbe.failureThreshold >= 30);
    }
  });
});

/** The options that contain DNS names, and the parts to which the names resolve. */
const NAMES_IN: ReadonlyArray<[string, readonly string[]]> = [
  ['store-addresses', ['store']],
  ['watch-addresses', ['watch']],
  ['targets', ['gateway', 'store', 'watch']],
];

function isMounted({ containers, volumes }: Manifest, file: string): boolean {
  const mount = containers[0].volumeMounts.find(({ mountPath }: Manifest) => file.startsWith(`${mountPath}/`));
  const volume = volumes.find(({ name }: Manifest) => name === mount?.name);
  const items: ReadonlyArray<{ path: string }> | undefined = volume?.secret?.items;
  const name = file.slice(mount?.mountPath.length + 1);
  return mount?.readOnly === true && (items === undefined || items.some(({ path }) => path === name));
}
