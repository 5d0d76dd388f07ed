import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type TestTidegate, until } from '@tidegate/testkit';
import { type Client, configMap } from './support/client.ts';
import { endFilledNamespace } from './support/filled-namespace.ts';
import { COMPLETE } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const MERGE = { 'Content-Type': 'application/merge-patch+json' };

describe('A namespace that is deleted', () => {
  let tidegate: TestTidegate;
  let client: Client;

  before(async () => {
    ({ tidegate, client } = await sharedSystem(COMPLETE));
  });
  after(async () => {
    client.close();
    await tidegate.stop();
  });

  const namespace = async (name: string) => {
    await client.ask('POST', '/api/v1/namespaces', { body: { metadata: { name } } });
    return `/api/v1/namespaces/${name}`;
  };
  const make = async (path: string, body: object) => {
    const { code, text } = await client.ask('POST', path, { body });
    assert.equal(code, 201, text);
  };
  const gone = (path: string) => until(`${path} to be gone`, async () => (await client.get(path)).code === 404, 60_000);
  const said = (path: string, type: string, message: string) =>
    until(`${type}: ${message}`, async () => {
      const { conditions = [] } = (await client.get(path)).json.status;
      return conditions.find((one: { type: string; message: string }) => one.type === type && one.message === message);
    });

  test('takes 500 objects of several kinds with it', async () => {
    await endFilledNamespace(client, 'filled', 500);
  });

  test('goes at once when a user takes its finalizers away, and what is left in it goes after it', async () => {
    const path = await namespace('forced');
    await make(`${path}/configmaps`, configMap('held', {}, { finalizers: ['example.com/one'] }));
    await make(`${path}/configmaps`, configMap('free'));
    await make(`${path}/secrets`, { metadata: { name: 'free' } });
    await client.ask('DELETE', path);
    const { json } = await client.get(path);
    const put = await client.ask('PUT', `${path}/finalize`, { body: { ...json, spec: { finalizers: [] } } });
    assert.equal(put.code, 200, put.text);
    assert.equal((await client.get(path)).code, 404);

    const inside = await client.ask('POST', `${path}/configmaps`, { body: configMap('new') });
    assert.deepEqual([inside.code, inside.json.message], [404, 'namespaces "forced" not found']);
    const again = await client.ask('POST', '/api/v1/namespaces', { body: { metadata: { name: 'forced' } } });
    assert.deepEqual(
      [again.code, again.json.message],
      [409, 'object is being deleted: namespaces "forced" already exists'],
    );

    await gone(`${path}/configmaps/free`);
    await gone(`${path}/secrets/free`);
    const free = [{ op: 'remove', path: '/metadata/finalizers' }];
    const headers = { 'Content-Type': 'application/json-patch+json' };
    assert.equal((await client.ask('PATCH', `${path}/configmaps/held`, { body: free, headers })).code, 200);
    await until('the name to be free', async () => {
      const { code } = await client.ask('POST', '/api/v1/namespaces', { body: { metadata: { name: 'forced' } } });
      return code === 201;
    });
    assert.deepEqual((await client.get(`${path}/secrets`)).json.items, []);
    const twice = await client.ask('POST', '/api/v1/namespaces', { body: { metadata: { name: 'forced' } } });
    assert.deepEqual([twice.code, twice.json.message], [409, 'namespaces "forced" already exists']);
  });

  test('says in its conditions what remains and why, and goes when that is gone', async () => {
    const path = await namespace('held');
    await make(`${path}/configmaps`, configMap('a', {}, { finalizers: ['example.com/one', 'example.com/two'] }));
    await make(`${path}/configmaps`, configMap('b', {}, { finalizers: ['example.com/one'] }));
    await make(`${path}/configmaps`, configMap('free'));
    await client.ask('DELETE', path);
    const remaining = await said(
      path,
      'NamespaceContentRemaining',
      'Some resources are remaining: configmaps. has 2 resource instances',
    );
    assert.deepEqual([remaining.status, remaining.reason], ['True', 'SomeResourcesRemain']);
    const held = 'Some content in the namespace has finalizers remaining: ';
    const words = `${held}example.com/one in 2 resource instances, example.com/two in 1 resource instances`;
    assert.equal((await said(path, 'NamespaceFinalizersRemaining', words)).reason, 'SomeFinalizersRemain');
    for (const type of ['DeletionDiscoveryFailure', 'DeletionGroupVersionParsingFailure', 'DeletionContentFailure']) {
      const { conditions } = (await client.get(path)).json.status;
      assert.equal(conditions.find((one: { type: string }) => one.type === `Namespace${type}`).status, 'False');
    }
    const free = (name: string) =>
      client.ask('PATCH', `${path}/configmaps/${name}`, { body: { metadata: { finalizers: null } }, headers: MERGE });
    await free('a');
    await said(path, 'NamespaceContentRemaining', 'Some resources are remaining: configmaps. has 1 resource instances');
    await said(path, 'NamespaceFinalizersRemaining', `${held}example.com/one in 1 resource instances`);
    await free('b');
    await gone(path);
  });

  test('waits for its pods, which get their time to end, and keeps what they may need until then', async () => {
    const path = await namespace('running');
    const spec = { nodeName: 'node', terminationGracePeriodSeconds: 300, containers: [{ name: 'a', image: 'a' }] };
    await make(`${path}/configmaps`, configMap('needed'));
    await until('its account', async () => (await client.get(`${path}/serviceaccounts/default`)).code === 200);
    await make(`${path}/pods`, { metadata: { name: 'runs' }, spec });
    await make(`${path}/pods`, { metadata: { name: 'waits' }, spec: { ...spec, nodeName: undefined } });
    await client.ask('DELETE', path);
    await said(
      path,
      'NamespaceContentRemaining',
      'Some resources are remaining: configmaps. has 2 resource instances, pods. has 1 resource instances, serviceaccounts. has 1 resource instances',
    );
    assert.equal((await client.get(`${path}/pods/runs`)).json.metadata.deletionGracePeriodSeconds, 300);
    assert.equal((await client.get(`${path}/pods/waits`)).code, 404);
    assert.equal((await client.get(`${path}/configmaps/needed`)).json.metadata.deletionTimestamp, undefined);
    await client.ask('DELETE', `${path}/pods/runs?gracePeriodSeconds=0`);
    await gone(path);
  });

  test('is gone, although others that are deleted with it wait', async () => {
    const paths = await Promise.all(Array.from({ length: 12 }, (_, i) => namespace(`one-of-many-${i}`)));
    await make(`${paths[0]}/configmaps`, configMap('held', {}, { finalizers: ['example.com/held'] }));
    await Promise.all(paths.map((path) => client.ask('DELETE', path)));
    await Promise.all(paths.slice(1).map(gone));
    assert.equal((await client.get(paths[0] as string)).json.status.phase, 'Terminating');
  });
});
