import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { temporaryDir, until } from '@tidegate/testkit';
import { API_SERVICES } from './support/aggregation.ts';
import type { Client } from './support/client.ts';
import { kubectl, whyNoKubectl } from './support/kubectl.ts';
import { COMPLETE, type RunningSystem, runningSystem } from './support/running-system.ts';
import { type SampleApiserver, startSample, whyNoSample } from './support/sample-apiserver.ts';

const GROUP = '/apis/wardle.example.com/v1alpha1';
const FLUNDERS = `${GROUP}/namespaces/default/flunders`;

async function register(client: Client, version: string, { port, caBundle }: SampleApiserver): Promise<void> {
  const service = { namespace: 'default', name: 'wardle', port };
  const spec = {
    group: 'wardle.example.com',
    version,
    groupPriorityMinimum: 1000,
    versionPriority: 15,
    service,
    caBundle,
  };
  const made = await client.request('POST', API_SERVICES, {
    body: { metadata: { name: `${version}.wardle.example.com` }, spec },
  });
  assert.equal(made.code, 201, made.text);
}

const why = whyNoSample() ?? whyNoKubectl();
describe('The published sample of an aggregated server', { skip: why ?? false }, () => {
  let system: RunningSystem;
  let client: Client;
  let sample: SampleApiserver;
  const cache = temporaryDir('kubectl-cache');
  const run = (...args: string[]) => kubectl(system.tidegate.kubeconfig, [`--cache-dir=${cache.path}`, ...args]);
  before(async () => {
    system = await runningSystem(COMPLETE);
    ({ client } = system);
    const authentication = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
    await until(
      'the authority of the front proxy to be published',
      async () => (await client.get(authentication)).code === 200,
    );
    sample = await startSample(system.tidegate.kubeconfig);
    const service = { metadata: { name: 'wardle' }, spec: { type: 'ExternalName', externalName: 'localhost' } };
    await client.request('POST', '/api/v1/namespaces/default/services', { body: service });
    for (const version of ['v1alpha1', 'v1beta1']) await register(client, version, sample);
    const name = 'apiservice/v1alpha1.wardle.example.com';
    const waited = await run('wait', '--for=condition=Available', name, '--timeout=25s');
    assert.equal(waited.code, 0, waited.stderr + (await run('get', name, '-o', 'yaml')).stdout);
  });
  after(async () => {
    await sample?.stop();
    await system?.stop();
    cache.remove();
  });

  test('kubectl shows the kinds of the sample server in the preferred version.', async () => {
    const { stdout } = await run('api-resources', '--api-group=wardle.example.com');
    assert.match(stdout, /^flunders +wardle\.example\.com\/v1beta1 +true +Flunder$/m);
    const explained = await run('explain', 'flunders.spec');
    assert.match(explained.stdout, /reference/, explained.stderr);
  });

  test('Objects of the sample server can be applied, listed, labelled and watched.', async () => {
    const manifest = { apiVersion: 'wardle.example.com/v1alpha1', kind: 'Flunder', metadata: { name: 'a' } };
    const text = JSON.stringify(manifest);
    const watch = await client.watch(`${FLUNDERS}?watch=true`);
    const applied = await kubectl(system.tidegate.kubeconfig, ['apply', '-f', '-'], {}, text);
    assert.equal(applied.code, 0, applied.stderr);
    assert.equal((await watch.next()).type, 'ADDED');
    watch.close();
    assert.match((await run('get', 'flunders')).stdout, /^a +/m);
    const labelled = await run('label', 'flunder', 'a', 'x=y');
    assert.equal(labelled.code, 0, labelled.stderr);
    assert.equal((await client.get(`${FLUNDERS}/a`)).json.metadata.labels.x, 'y');
  });

  test('The sample server applies its own validation, and the gateway applies authorization.', async () => {
    const fischer = { metadata: { name: 'strict' }, disallowedFlunders: ['banned'] };
    const made = await client.request('POST', `${GROUP}/fischers`, { body: fischer });
    assert.equal(made.code, 201, made.text);
    const rejected = await until('the admission of the sample server to know the fischer', async () => {
      const reply = await client.request('POST', `${FLUNDERS}?dryRun=All`, { body: { metadata: { name: 'banned' } } });
      return reply.code === 201 ? undefined : reply;
    });
    assert.deepEqual([rejected.code, rejected.json.reason], [403, 'Forbidden']);
    assert.match((await run('get', 'flunders', '--as=ann')).stderr, /User "ann" cannot list resource "flunders"/);
  });

  test('Objects of the sample server are deleted with their namespace.', async () => {
    await client.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'sea' } } });
    const flunders = `${GROUP}/namespaces/sea/flunders`;
    const made = await client.request('POST', flunders, { body: { metadata: { name: 'b' } } });
    assert.equal(made.code, 201, made.text);
    await client.request('DELETE', '/api/v1/namespaces/sea');
    await until('the namespace to be deleted', async () => (await client.get('/api/v1/namespaces/sea')).code === 404);
    assert.deepEqual((await client.get(flunders)).json.items, []);
  });
});
