import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { helm, whyNoHelm } from './support/helm.ts';
import { runningSystem } from './support/running-system.ts';

const GROUP = 'boats.example.com';
const CRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: ferries.${GROUP}
spec:
  group: ${GROUP}
  scope: Namespaced
  names: {plural: ferries, singular: ferry, kind: Ferry}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [color]
            properties:
              color: {type: string}
              decks: {type: integer, default: 2}
`;
const FERRY = `apiVersion: ${GROUP}/v1
kind: Ferry
metadata: {name: {{ .Release.Name }}, labels: {release: {{ .Release.Name }}}}
spec: {color: {{ .Values.color }}}
`;
const CONFIG = `apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-config}
data:
  color: {{ .Values.color }}
  served: {{ .Capabilities.APIVersions.Has "${GROUP}/v1" | quote }}
`;
const hook = (when: string, name: string, policy = '') => `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
  annotations:
    helm.sh/hook: ${when}
    ${policy === '' ? '' : `helm.sh/hook-delete-policy: ${policy}`}
data: {revision: {{ .Release.Revision | quote }}}
`;
const CHART: Readonly<Record<string, string>> = {
  'Chart.yaml': 'apiVersion: v2\nname: harbour\nversion: 1.0.0\n',
  'values.yaml': 'color: red\n',
  'crds/ferries.yaml': CRD,
  'templates/ferry.yaml': FERRY,
  'templates/config.yaml': CONFIG,
  'templates/before.yaml': hook('pre-install,pre-upgrade', 'before', 'before-hook-creation'),
  'templates/after.yaml': hook('post-install', 'after', 'hook-succeeded'),
};

test('Helm 3 installs, upgrades, rolls back and uninstalls a chart with definitions and hooks.', {
  skip: whyNoHelm() ?? false,
}, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'tidegate-helm-test-'));
  const chart = join(dir, 'harbour');
  for (const [name, text] of Object.entries(CHART)) {
    const path = join(chart, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const system = await runningSystem();
  const { client, tidegate } = system;
  const run = async (...args: string[]): Promise<string> => {
    const all = ['--kubeconfig', tidegate.kubeconfig, '--namespace', 'default', ...args];
    const env = { ...process.env, HOME: dir };
    return (await promisify(execFile)(helm, all, { env, timeout: 60_000 })).stdout;
  };
  const ferry = async () => (await client.get(`/apis/${GROUP}/v1/namespaces/default/ferries/one`)).json;
  const map = (name: string) => client.get(`/api/v1/namespaces/default/configmaps/${name}`);
  const listed = async () =>
    (JSON.parse(await run('list', '--all', '-o', 'json')) as Array<{ revision: string; status: string }>).map(
      ({ revision, status }) => [revision, status],
    );
  try {
    await run('install', 'one', chart, '--wait');
    assert.deepEqual((await ferry()).spec, { color: 'red', decks: 2 });
    assert.deepEqual((await map('one-config')).json.data, { color: 'red', served: 'true' });
    assert.equal((await map('before')).json.data.revision, '1');
    assert.equal((await map('after')).code, 404);
    assert.deepEqual(await listed(), [['1', 'deployed']]);

    await run('upgrade', 'one', chart, '--set', 'color=blue', '--wait');
    assert.equal((await ferry()).spec.color, 'blue');
    assert.equal((await map('before')).json.data.revision, '2');
    await assert.rejects(run('upgrade', 'one', chart, '--set', 'color=7', '--wait'), /must be of type string/);

    await run('rollback', 'one', '1', '--wait');
    assert.equal((await ferry()).spec.color, 'red');
    const history = JSON.parse(await run('history', 'one', '-o', 'json')) as Array<{ status: string }>;
    assert.deepEqual(
      history.map(({ status }) => status),
      ['superseded', 'superseded', 'failed', 'deployed'],
    );

    await run('uninstall', 'one', '--wait');
    assert.equal((await map('one-config')).code, 404);
    assert.deepEqual((await client.get(`/apis/${GROUP}/v1/ferries`)).json.items, []);
    assert.deepEqual(await listed(), []);
  } finally {
    await system.stop();
    rmSync(dir, { recursive: true, force: true });
  }
});
