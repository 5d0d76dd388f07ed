import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clean, type JsonObject } from '@tidegate/schema';
import { metaOf, prepareCreate, setDefaults, validateMeta } from '../index.ts';
import { kindAt } from '../testing/recorded.ts';

const kind = kindAt('/apis/apps/v1/namespaces/x/deployments');

const probe = (path: string) => ({ httpGet: { path, port: 'http' }, initialDelaySeconds: 5 });
const typical: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'web',
    namespace: 'shop',
    labels: { 'app.kubernetes.io/name': 'web', 'app.kubernetes.io/part-of': 'shop' },
    annotations: { 'example.com/team': 'front' },
  },
  spec: {
    replicas: 3,
    selector: { matchLabels: { 'app.kubernetes.io/name': 'web' } },
    template: {
      metadata: { labels: { 'app.kubernetes.io/name': 'web', version: 'v3' } },
      spec: {
        serviceAccountName: 'web',
        securityContext: { runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 },
        containers: [
          {
            name: 'web',
            image: 'registry.example.com/web:1.27',
            ports: [
              { name: 'http', containerPort: 8080 },
              { name: 'metrics', containerPort: 9090 },
            ],
            env: [
              { name: 'MODE', value: 'production' },
              { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
              { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'web', key: 'token' } } },
            ],
            resources: { requests: { cpu: '250m', memory: '256Mi' }, limits: { cpu: '1', memory: '512Mi' } },
            livenessProbe: probe('/livez'),
            readinessProbe: probe('/readyz'),
            volumeMounts: [
              { name: 'config', mountPath: '/etc/web' },
              { name: 'scratch', mountPath: '/tmp' },
            ],
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
          },
        ],
        volumes: [
          { name: 'config', configMap: { name: 'web' } },
          { name: 'scratch', emptyDir: {} },
        ],
        affinity: {
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 100, podAffinityTerm: { topologyKey: 'kubernetes.io/hostname' } },
            ],
          },
        },
      },
    },
  },
};

interface Cost {
  decode: number;
  check: number;
}

/** Microseconds of this process's processor for one object. */
function measure(rounds: number): Cost {
  const decoding = process.cpuUsage();
  const objects = Array.from({ length: rounds }, () => clean(kind.schema, typical, 'Deployment').value);
  const decode = process.cpuUsage(decoding);
  const checking = process.cpuUsage();
  for (const object of objects) {
    setDefaults(kind, object);
    prepareCreate(kind, object, { name: 'a', uid: 'b', groups: [] });
    const errors = [...validateMeta(kind.entry, object), ...(kind.entry.validate?.(object) ?? [])];
    assert.equal(errors.length, 0, JSON.stringify([errors, metaOf(object)]));
  }
  const check = process.cpuUsage(checking);
  return { decode: (decode.user + decode.system) / rounds, check: (check.user + check.system) / rounds };
}

test('a typical deployment is given its defaults and validated in under 150 microseconds', (context) => {
  for (let i = 0; i < 5; i++) measure(2000);
  const costs = Array.from({ length: 5 }, () => measure(1000)).sort((a, b) => a.check - b.check);
  const { decode, check } = costs[2] as Cost;
  context.diagnostic(`decode ${decode.toFixed(1)} µs, defaults and validation ${check.toFixed(1)} µs`);
  assert.ok(check < 150, `${check} µs`);
});
