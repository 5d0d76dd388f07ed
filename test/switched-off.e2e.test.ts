import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { temporaryDir, until } from '@tidegate/testkit';
import { type Client, configMap, MAPS } from './support/client.ts';
import { type RunningSystem, runningSystem } from './support/running-system.ts';

const AUTHENTICATION = {
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'AuthenticationConfiguration',
  anonymous: { enabled: true, conditions: [{ path: MAPS }] },
};

describe('Features that can be switched off', () => {
  const place = temporaryDir('switched-off');
  let system: RunningSystem;
  let client: Client;
  before(async () => {
    const file = join(place.path, 'authentication.yaml');
    writeFileSync(file, JSON.stringify(AUTHENTICATION));
    system = await runningSystem({
      args: ['--feature-gates=APIResponseCompression=false'],
      env: {
        TIDEGATE_AUTHORIZATION_MODE: 'AlwaysAllow',
        TIDEGATE_AUTHENTICATION_CONFIG: file,
        TIDEGATE_CONTROLLERS: '*,-serviceaccount-controller,-garbage-collector',
      },
    });
    ({ client } = system);
  });
  after(async () => {
    await system?.stop();
    place.remove();
  });

  test('With AlwaysAllow, every authenticated user has all permissions, and a warning is logged.', async () => {
    assert.equal((await client.request('GET', MAPS, { token: '' })).code, 200);
    assert.equal((await client.request('GET', '/api/v1/nodes', { token: '' })).code, 401);
    const log = readFileSync(join(system.tidegate.dataDir, 'logs', 'gateway.log'), 'utf8');
    assert.match(log, /every authenticated user may do everything/);
  });

  test('Without their controllers, there are no default ServiceAccounts and no garbage collection; other controllers run.', async () => {
    const path = '/api/v1/namespaces/default';
    const authorities = (namespace: string) =>
      until(`the authorities in ${namespace}`, async () => {
        const { code } = await client.get(`/api/v1/namespaces/${namespace}/configmaps/kube-root-ca.crt`);
        return code === 200;
      });
    await authorities('default');
    const made = async (metadata: object) =>
      (await client.request('POST', MAPS, { body: { metadata } })).json.metadata as { name: string; uid: string };
    const owner = await made({ name: 'owner' });
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', ...{ name: owner.name, uid: owner.uid } };
    await made({ name: 'dependent', ownerReferences: [{ ...reference, blockOwnerDeletion: true }] });
    await made({ name: 'lost', ownerReferences: [{ ...reference, name: 'never' }] });
    await client.request('DELETE', `${MAPS}/owner`, { body: { propagationPolicy: 'Foreground' } });
    await client.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'later' } } });
    await authorities('later');
    assert.equal((await client.get(`${path}/serviceaccounts/default`)).code, 404);
    const current = await client.get(`${MAPS}/owner`);
    assert.deepEqual(current.json.metadata.finalizers, ['foregroundDeletion']);
    for (const name of ['dependent', 'lost'])
      assert.equal((await client.get(`${MAPS}/${name}`)).json.metadata.deletionTimestamp, undefined);
  });

  test('Without its feature gate, nothing is compressed.', async () => {
    await client.request('POST', MAPS, { body: configMap('big', { a: 'a'.repeat(9000) }) });
    for (const path of [MAPS, `${MAPS}/big`]) {
      const reply = await client.get(path, { 'Accept-Encoding': 'gzip' });
      assert.equal(reply.code, 200);
      assert.equal(reply.headers['content-encoding'], undefined);
      assert.equal(reply.headers.vary, undefined);
    }
  });
});
