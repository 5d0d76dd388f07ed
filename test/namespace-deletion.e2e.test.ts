import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type TestTidegate, until } from '@tidegate/testkit';
import { type Client, configMap } from './support/client.ts';
import { deleteFilledNamespace } from './support/delete-filled-namespace.ts';
import { COMPLETE } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const MERGE = { 'Content-Type': 'application/merge-patch+json' };

describe('Namespace deletion', () => {
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
    await client.request('POST', '/api/v1/namespaces', { body: { metadata: { name } } });
    return `/api/v1/namespaces/${name}`;
  };
  const make = async (path: string, body: object) => {
    const { code, text } = await client.request('POST', path, { body });
    assert.equal(code, 201, text);
  };
  const gone = (path: string) => until(`${path} to be gone`, async () => (await client.get(path)).code === 404, 60_000);
  const untilCondition = (path: string, type: string, message: string) =>
    until(`${type}: ${message}`, async () => {
      const { conditions = [] } = (await client.get(path)).json.status;
      return conditions.find((one: { type: string; message: string }) => one.type === type && one.message === message);
    });

  test('A namespace is deleted with 500 objects of several kinds.', async () => {
    await deleteFilledNamespace(client, 'filled', 500);
  });

  test('A namespace is removed at once when a user removes its finalizers, and its remaining objects are deleted later.', async () => {
    const path = await namespace('forced');
    await make(`${path}/configmaps`, configMap('held', {}, { finalizers: ['example.com/one'] }));
    await make(`${path}/configmaps`, configMap('free'));
    await make(`${path}/secrets`, { metadata: { name: 'free' } });
    await client.request('DELETE', path);
    const { json } = await client.get(path);
    const put = await client.request('PUT', `${path}/finalize`, { body: { ...json, spec: { finalizers: [] } } });
    assert.equal(put.code, 200, put.text);
    assert.equal((await client.get(path)).code, 404);

    const inside = await client.request('POST', `${path}/configmaps`, { body: configMap('new') });
    assert.deepEqual([inside.code, inside.json.message], [404, 'namespaces "forced" not found']);
    const again = await client.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'forced' } } });
    assert.deepEqual(
      [again.code, again.json.message],
      [409, 'object is being deleted: namespaces "forced" already exists'],
    );

    await gone(`${path}/configmaps/free`);
    await gone(`${path}/secrets/free`);
    const free = [{ op: 'remove', path: '/metadata/finalizers' }];
    const headers = { 'Content-Type': 'application/json-patch+json' };
    assert.equal((await client.request('PATCH', `${path}/configmaps/held`, { body: free, headers })).code, 200);
    await until('the name to be free', async () => {
      const { code } = await client.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'forced' } } });
      return code === 201;
    });
    assert.deepEqual((await client.get(`${path}/secrets`)).json.items, []);
    const twice = await client.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'forced' } } });
    assert.deepEqual([twice.code, twice.json.message], [409, 'namespaces "forced" already exists']);
  });

  test('The conditions of a terminating namespace report the remaining objects and their finalizers.', async () => {
    const path = await namespace('held');
    await make(`${path}/configmaps`, configMap('a', {}, { finalizers: ['example.com/one', 'example.com/two'] }));
    await make(`${path}/configmaps`, configMap('b', {}, { finalizers: ['example.com/one'] }));
    await make(`${path}/configmaps`, configMap('free'));
    await client.request('DELETE', path);
    const remaining = await untilCondition(
      path,
      'NamespaceContentRemaining',
      'Some resources are remaining: configmaps. has 2 resource instances',
    );
    assert.deepEqual([remaining.status, remaining.reason], ['True', 'SomeResourcesRemain']);
    const held = 'Some content in the namespace has finalizers remaining: ';
    const words = `${held}example.com/one in 2 resource instances, example.com/two in 1 resource instances`;
    assert.equal((await untilCondition(path, 'NamespaceFinalizersRemaining', words)).reason, 'SomeFinalizersRemain');
    for (const type of ['DeletionDiscoveryFailure', 'DeletionGroupVersionParsingFailure', 'DeletionContentFailure']) {
      const { conditions } = (await client.get(path)).json.status;
      assert.equal(conditions.find((one: { type: string }) => one.type === `Namespace${type}`).status, 'False');
    }
    const free = (name: string) =>
      client.request('PATCH', `${path}/configmaps/${name}`, {
        body: { metadata: { finalizers: null } },
        headers: MERGE,
      });
    await free('a');
    await untilCondition(
      path,
      'NamespaceContentRemaining',
      'Some resources are remaining: configmaps. has 1 resource instances',
    );
    await untilCondition(path, 'NamespaceFinalizersRemaining', `${held}example.com/one in 1 resource instances`);
    await free('b');
    await gone(path);
  });

  test('A terminating namespace waits for its pods, and deletes other objects only after the pods have ended.', async () => {
    const path = await namespace('running');
    const spec = { nodeName: 'node', terminationGracePeriodSeconds: 300, containers: [{ name: 'a', image: 'a' }] };
    await make(`${path}/configmaps`, configMap('needed'));
    await until('the service account', async () => (await client.get(`${path}/serviceaccounts/default`)).code === 200);
    await make(`${path}/pods`, { metadata: { name: 'runs' }, spec });
    await make(`${path}/pods`, { metadata: { name: 'waits' }, spec: { ...spec, nodeName: undefined } });
    await client.request('DELETE', path);
    await untilCondition(
      path,
      'NamespaceContentRemaining',
      'Some resources are remaining: configmaps. has 2 resource instances, pods. has 1 resource instances, serviceaccounts. has 1 resource instances',
    );
    assert.equal((await client.get(`${path}/pods/runs`)).json.metadata.deletionGracePeriodSeconds, 300);
    assert.equal((await client.get(`${path}/pods/waits`)).code, 404);
    assert.equal((await client.get(`${path}/configmaps/needed`)).json.metadata.deletionTimestamp, undefined);
    await client.request('DELETE', `${path}/pods/runs?gracePeriodSeconds=0`);
    await gone(path);
  });

  test('A namespace that waits does not delay the deletion of others.', async () => {
    const paths = await Promise.all(Array.from({ length: 12 }, (_, i) => namespace(`one-of-many-${i}`)));
    await make(`${paths[0]}/configmaps`, configMap('held', {}, { finalizers: ['example.com/held'] }));
    await Promise.all(paths.map((path) => client.request('DELETE', path)));
    await Promise.all(paths.slice(1).map(gone));
    assert.equal((await client.get(paths[0] as string)).json.status.phase, 'Terminating');
  });
});
