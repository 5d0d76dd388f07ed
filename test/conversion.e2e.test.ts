import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { startWebhooks, type TestWebhooks, until } from '@tidegate/testkit';
import { type Client, configMap, MAPS } from './support/client.ts';
import { type ConvertedKind, DEFINITIONS, defineConverted } from './support/converted-kind.ts';
import type { RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const APPLY = { 'Content-Type': 'application/apply-patch+yaml' };
const MERGE = { 'Content-Type': 'application/merge-patch+json' };
const TABLE = { Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

describe('Conversion by a webhook', () => {
  let system: RunningSystem;
  let client: Client;
  let webhooks: TestWebhooks;
  let kinds = 0;
  let ports: ConvertedKind;
  before(async () => {
    system = await sharedSystem();
    ({ client } = system);
    webhooks = await startWebhooks();
  });
  beforeEach(async () => {
    // each test has its own kind with an empty collection
    ports = await defineConverted(client, webhooks, `ports${'abcdefghijklmnopqrstuvwxyz'[kinds++]}s`);
    ports.calls();
  });
  after(async () => {
    await webhooks?.stop();
    await system?.stop();
  });

  const create = async (version: 'v1' | 'v2', name: string, spec: object, wish?: string) => {
    const made = await client.request('POST', ports.path(version), { body: ports.object(version, name, spec, wish) });
    assert.equal(made.code, 201, made.text);
    return made.json;
  };

  test('Every verb works through both versions and returns the object in the requested version.', async () => {
    const [v1, v2] = [ports.path('v1'), ports.path('v2')];
    await create('v1', 'a', { host: 'h', port: 1, replicas: 1 });
    await create('v2', 'b', { address: 'x:2' });
    const specs = async (path: string) =>
      (await client.get(path)).json.items.map((item: { spec: object }) => item.spec) as object[];
    assert.deepEqual(await specs(v1), [
      { host: 'h', port: 1, replicas: 1, mode: 'plain' },
      { host: 'x', port: 2, mode: 'plain' },
    ]);
    assert.deepEqual(await specs(v2), [
      { address: 'h:1', replicas: 1, mode: 'plain' },
      { address: 'x:2', mode: 'plain' },
    ]);

    const { json: read } = await client.get(`${v2}/a`);
    const put = await client.request('PUT', `${v2}/a`, { body: { ...read, spec: { ...read.spec, address: 'h:3' } } });
    assert.deepEqual([put.code, put.json.spec.address, put.json.metadata.generation], [200, 'h:3', 2]);
    const patched = await client.request('PATCH', `${v2}/a`, { body: { spec: { address: 'i:3' } }, headers: MERGE });
    assert.deepEqual([patched.code, patched.json.spec.address], [200, 'i:3']);
    assert.deepEqual((await client.get(`${v1}/a`)).json.spec, { host: 'i', port: 3, replicas: 1, mode: 'plain' });

    const status = { body: { status: { phase: 'on', replicas: 1 }, spec: { address: 'no:1' } }, headers: MERGE };
    assert.equal((await client.request('PATCH', `${v2}/a/status`, status)).json.status.phase, 'on');
    const scaled = await client.request('PATCH', `${v2}/a/scale`, { body: { spec: { replicas: 4 } }, headers: MERGE });
    assert.deepEqual(
      [scaled.json.kind, scaled.json.spec, scaled.json.status],
      ['Scale', { replicas: 4 }, { replicas: 1 }],
    );
    const { json: shown } = await client.get(`${v1}/a`);
    assert.deepEqual(shown.spec, { host: 'i', port: 3, replicas: 4, mode: 'plain' });
    assert.deepEqual((await client.get(`${v1}/a/scale`)).json.spec, { replicas: 4 });

    const same = await client.request('PUT', `${v2}/a`, { body: (await client.get(`${v2}/a`)).json });
    assert.equal(same.json.metadata.resourceVersion, shown.metadata.resourceVersion);
    assert.equal((await client.request('DELETE', `${v2}/a`)).code, 200);
    assert.equal((await client.get(`${v1}/a`)).code, 404);
    const gone = await client.request('DELETE', v2);
    assert.deepEqual(gone.json.items[0].spec, { address: 'x:2', mode: 'plain' });
    assert.deepEqual(await specs(v1), []);
  });

  test('Schema, rules, selectable fields and columns are those of the requested version.', async () => {
    const [v1, v2] = [ports.path('v1'), ports.path('v2')];
    await create('v1', 'a', { host: 'h', port: 1 });
    await create('v1', 'b', { host: 'x', port: 2 }, 'relabel');
    const long = await client.request('POST', v2, {
      body: ports.object('v2', 'c', { address: `${'x'.repeat(30)}:1` }),
    });
    assert.match(long.json.message, /spec\.address: Too long/);
    const ruled = await client.request('POST', v2, { body: ports.object('v2', 'c', { address: 'nothing' }) });
    assert.match(ruled.json.message, /the address has a port/);
    const elsewhere = await client.request('POST', v1, { body: ports.object('v1', 'c', { host: 'h', port: 9999 }) });
    assert.match(elsewhere.json.message, /the port is below 9000/);

    const names = async (path: string) => {
      const { json } = await client.get(path);
      return json.items?.map((item: { metadata: { name: string } }) => item.metadata.name) ?? json.message;
    };
    assert.deepEqual(await names(`${v2}?fieldSelector=spec.address%3Dh:1`), ['a']);
    assert.deepEqual(await names(`${v1}?fieldSelector=spec.host%3Dx`), ['b']);
    assert.match(String(await names(`${v1}?fieldSelector=spec.address%3Dh:1`)), /field label not supported/);
    assert.deepEqual(await names(`${v2}?labelSelector=converted`), ['b']);
    assert.deepEqual(await names(`${v1}?labelSelector=converted`), []);
    assert.deepEqual(await names(`${v2}?labelSelector=!converted&limit=1`), ['a']);
    const table = await client.get(v2, TABLE);
    assert.deepEqual(
      table.json.rows.map(({ cells }: { cells: string[] }) => cells),
      [
        ['a', 'h:1'],
        ['b', 'x:2'],
      ],
    );
    assert.deepEqual((await client.get(v1, TABLE)).json.rows[0].cells, ['a', 'h']);
  });

  test('The webhook is not called if no conversion is needed.', async () => {
    const v1 = ports.path('v1');
    assert.equal((await client.get(ports.path('v2'))).code, 200);
    const watching = await client.watch(`${v1}?watch=1`);
    await create('v1', 'a', { host: 'h', port: 1 });
    assert.equal((await watching.next()).object.spec.host, 'h');
    watching.close();
    await client.request('PATCH', `${v1}/a`, { body: { spec: { port: 2 } }, headers: MERGE });
    await client.get(v1);
    await client.get(`${v1}/a`);
    await client.request('PATCH', `${v1}/a/status`, { body: { status: { phase: 'on' } }, headers: MERGE });
    await client.request('DELETE', `${v1}/a`);
    assert.deepEqual(ports.calls(), []);
  });

  test('Five hundred objects are converted in one call, and the results are cached.', async () => {
    const names = Array.from({ length: 500 }, (_, index) => `p${index}`);
    const work = names.values();
    const make = async () => {
      for (const name of work) await create('v1', name, { host: 'h', port: 1 });
    };
    await Promise.all(Array.from({ length: 32 }, make));
    const { json } = await client.get(ports.path('v2'));
    assert.equal(json.items.length, 500);
    assert.ok(json.items.every(({ spec }: { spec: { address: string } }) => spec.address === 'h:1'));
    assert.deepEqual(ports.calls(), [['v2', 500]]);
    const page = await client.get(`${ports.path('v2')}?limit=10`);
    assert.deepEqual([page.json.items.length, page.json.metadata.remainingItemCount], [10, 490]);
    assert.deepEqual(ports.calls(), []);
  });

  test('Watchers of a version share one conversion for each event.', async () => {
    const v2 = ports.path('v2');
    await create('v1', 'old', { host: 'h', port: 1 });
    const watches = await Promise.all(Array.from({ length: 10 }, () => client.watch(`${v2}?watch=1`)));
    for (const watch of watches) assert.equal((await watch.next()).object.metadata.name, 'old');
    assert.deepEqual(ports.calls(), [['v2', 1]]);
    await create('v1', 'a', { host: 'h', port: 1 });
    for (const watch of watches) {
      const { type, object } = await watch.next();
      assert.deepEqual([type, object.apiVersion.split('/')[1], object.spec.address], ['ADDED', 'v2', 'h:1']);
    }
    assert.deepEqual(ports.calls(), [['v2', 1]]);
    // the converted old object is cached, so only the new one is converted
    await client.request('PATCH', `${v2}/a`, { body: { spec: { address: 'h:2' } }, headers: MERGE });
    for (const watch of watches) assert.equal((await watch.next()).object.spec.address, 'h:2');
    assert.deepEqual(
      ports.calls().filter(([to]) => to === 'v2'),
      [['v2', 1]],
    );
    await client.request('DELETE', `${ports.path('v1')}/a`);
    for (const watch of watches) {
      const { type, object } = await watch.next();
      assert.deepEqual([type, object.spec.address], ['DELETED', 'h:2']);
      watch.close();
    }
    assert.deepEqual(ports.calls(), []);
  });

  test('A failed conversion ends the watches of its version at its event, and no others.', async () => {
    const [v1, v2] = [ports.path('v1'), ports.path('v2')];
    const [stored, converted, maps] = await Promise.all(
      [v1, v2, MAPS].map((path) => client.watch(`${path}?watch=1&resourceVersion=0`)),
    );
    await create('v1', 'a', { host: 'h', port: 1 });
    await create('v1', 'b', { host: 'h', port: 1 }, 'fail');
    await create('v1', 'c', { host: 'h', port: 1 });
    const events = (await converted?.rest()) ?? [];
    assert.deepEqual(
      events.map(({ type, object }) => [type, object.metadata.name ?? object.message]),
      [
        ['ADDED', 'a'],
        ['ERROR', 'conversion webhook for conversion.example.com/v1, Kind=Portsf failed: no way'],
      ],
    );
    for (const name of ['a', 'b', 'c']) assert.equal((await stored?.next())?.object.metadata.name, name);
    await client.request('POST', MAPS, { body: configMap('goes-on') });
    await until('the event of the other kind', async () => (await maps?.next())?.object.metadata.name === 'goes-on');
    for (const path of [v2, `${v2}/b`, `${v2}?limit=2`]) {
      const { code, json } = await client.get(path);
      assert.deepEqual([code, json.status], [500, 'Failure']);
      assert.match(json.message, /^conversion webhook for .*, Kind=Portsf failed: no way$/);
    }
    const late = await (await client.watch(`${v2}?watch=1&resourceVersion=0`)).rest();
    assert.deepEqual(
      late.map(({ type, object }) => [type, object.metadata.name ?? object.code]),
      [
        ['ADDED', 'a'],
        ['ERROR', 500],
      ],
    );
    assert.equal((await client.get(`${v2}/c`)).code, 200);
    assert.equal((await client.get(`${v2}?fieldSelector=metadata.name%3Dc`)).code, 200);
    stored?.close();
    maps?.close();
  });

  test('Managers that apply in different versions own the fields that each of them set.', async () => {
    const [v1, v2] = [ports.path('v1'), ports.path('v2')];
    const applied = (version: 'v1' | 'v2', spec: object, query: string) =>
      client.request('PATCH', `${version === 'v1' ? v1 : v2}/a?${query}`, {
        body: ports.object(version, 'a', spec),
        headers: APPLY,
      });
    assert.equal((await applied('v1', { host: 'h', port: 1 }, 'fieldManager=one')).code, 201);
    const conflict = await applied('v2', { address: 'h:2' }, 'fieldManager=two');
    assert.equal(conflict.json.message, 'Apply failed with 1 conflict: conflict with "one": .spec.port');
    const forced = await applied('v2', { address: 'h:2' }, 'fieldManager=two&force=true');
    const owners = forced.json.metadata.managedFields.map(
      ({ manager, apiVersion, fieldsV1 }: { manager: string; apiVersion: string; fieldsV1: object }) =>
        [manager, apiVersion.split('/')[1], fieldsV1] as const,
    );
    assert.deepEqual(owners, [
      ['one', 'v1', { 'f:spec': { 'f:host': {} } }],
      ['two', 'v2', { 'f:spec': { 'f:address': {} } }],
    ]);
    const reapplied = await applied('v1', { mode: 'x' }, 'fieldManager=one');
    assert.deepEqual(reapplied.json.spec, { host: 'h', port: 2, mode: 'x' });
  });

  test('Admission webhooks and policies of another version get the converted object, and changes are converted back.', async () => {
    const configurations = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
    const [plural = '', group = ''] = [ports.name.split('.')[0], 'conversion.example.com'];
    const rule = { operations: ['CREATE', 'UPDATE'], apiGroups: [group], apiVersions: ['v2'], resources: [plural] };
    const hook = { clientConfig: { url: `${webhooks.url}/replicas-7`, caBundle: webhooks.caBundle }, rules: [rule] };
    const own = { name: 'a.b.c', sideEffects: 'None', admissionReviewVersions: ['v1'], matchPolicy: 'Equivalent' };
    const body = { metadata: { name: 'sees-v2' }, webhooks: [{ ...own, ...hook }] };
    assert.equal((await client.request('POST', configurations, { body })).code, 201);
    const made = await create('v1', 'a', { host: 'h', port: 1 });
    assert.deepEqual(made.spec, { host: 'h', port: 1, replicas: 7, mode: 'plain' });
    const [review] = webhooks.reviews().filter(({ operation }) => operation === 'CREATE');
    assert.deepEqual([review.kind.version, review.requestKind.version], ['v2', 'v1']);
    assert.deepEqual(review.object.spec, { address: 'h:1', mode: 'plain' });
    await client.request('DELETE', `${configurations}/sees-v2`);
    const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
    const spec = {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: "object.spec.address != 'no:1'", message: 'not there' }],
    };
    assert.equal((await client.request('POST', policies, { body: { metadata: { name: 'no' }, spec } })).code, 201);
    const binding = { metadata: { name: 'no' }, spec: { policyName: 'no', validationActions: ['Deny'] } };
    assert.equal((await client.request('POST', `${policies.slice(0, -3)}ybindings`, { body: binding })).code, 201);
    const denied = await client.request('POST', ports.path('v1'), {
      body: ports.object('v1', 'b', { host: 'no', port: 1 }),
    });
    assert.match(denied.json.message, /ValidatingAdmissionPolicy 'no' .*denied request: not there$/);
    await create('v1', 'c', { host: 'yes', port: 1 });
    await client.request('DELETE', `${policies}/no`);
  });

  test('A new storage version takes effect at once: old objects are readable and are written in it.', async () => {
    const [v1, v2] = [ports.path('v1'), ports.path('v2')];
    await create('v1', 'a', { host: 'h', port: 1 });
    const watching = await client.watch(`${v2}?watch=1&resourceVersion=0`);
    await watching.next();
    const body = ['v1', 'v2'].map((_, index) => ({
      op: 'replace',
      path: `/spec/versions/${index}/storage`,
      value: index === 1,
    }));
    const headers = { 'Content-Type': 'application/json-patch+json' };
    const changed = await client.request('PATCH', `${DEFINITIONS}/${ports.name}`, { body, headers });
    assert.deepEqual(changed.json.status.storedVersions, ['v1', 'v2']);
    await watching.rest();
    assert.equal((await client.get(`${v1}/a`)).json.spec.host, 'h');
    const { json: read } = await client.get(`${v2}/a`);
    const written = await client.request('PUT', `${v2}/a`, { body: read });
    assert.notEqual(written.json.metadata.resourceVersion, read.metadata.resourceVersion);
    ports.calls();
    await client.get(v2);
    assert.deepEqual(ports.calls(), []);
    assert.deepEqual((await client.get(`${v1}/a`)).json.spec, { host: 'h', port: 1, mode: 'plain' });
    assert.deepEqual(ports.calls(), [['v1', 1]]);
  });

  // must be the last test, because it stops the converter
  test('A hanging conversion webhook delays only requests that need it.', async () => {
    const [v1, v2] = [ports.path('v1'), ports.path('v2')];
    await create('v1', 'a', { host: 'h', port: 1 });
    const watching = await client.watch(`${v2}?watch=1&resourceVersion=0`);
    assert.equal((await watching.next()).object.metadata.name, 'a');
    await create('v1', 'b', { host: 'h', port: 1 }, 'silence');
    const waiting = [client.get(`${v2}/b`), client.get(v2)];
    await until('the converter to be called', async () => ports.calls().length > 0);
    assert.equal((await client.get(v1)).json.items.length, 2);
    assert.equal((await client.get(`${v2}/a`)).json.spec.address, 'h:1');
    assert.equal((await client.request('POST', MAPS, { body: configMap('not-kept') })).code, 201);
    await create('v2', 'c', { address: 'h:2' });
    assert.equal(await Promise.race([...waiting, 'still waiting']), 'still waiting');
    await webhooks.stop();
    for (const { code, json } of await Promise.all(waiting)) {
      assert.equal(code, 500);
      assert.match(json.message, /^conversion webhook for .* failed: Post ".*\/convert\?timeout=30s": /);
    }
    const [{ type, object } = { type: '', object: {} }] = await watching.rest();
    assert.deepEqual([type, object.code], ['ERROR', 500]);
    // deletion uses the stored version and needs no conversion
    assert.equal((await client.request('DELETE', `${DEFINITIONS}/${ports.name}`)).code, 200);
    const isGone = async () => (await client.get(`${DEFINITIONS}/${ports.name}`)).code === 404;
    await until('the definition and its objects to be deleted', isGone);
    const { text } = await client.get('/metrics');
    assert.match(text, /^tidegate_gateway_conversion_calls_total\{definition=".*",outcome="unanswered"\} [1-9]/m);
  });
});
