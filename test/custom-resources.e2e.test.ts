import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { until } from '@tidegate/testkit';
import { Client } from './support/client.ts';
import { kubectl, whyNoKubectl } from './support/kubectl.ts';
import { COMPLETE, type RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const GROUP = 'shop.example.com';
const ORDERS = `/apis/${GROUP}/v1/namespaces/default/orders`;

const text = { type: 'string' };
const order = {
  type: 'object',
  description: 'An order of a customer.',
  properties: {
    spec: {
      type: 'object',
      required: ['customer'],
      properties: {
        customer: { ...text, description: 'Who pays.', minLength: 1 },
        priority: { ...text, enum: ['low', 'high'], default: 'low' },
        replicas: { type: 'integer', minimum: 0, default: 1 },
        lines: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['article'],
          items: {
            type: 'object',
            required: ['article'],
            properties: { article: text, count: { type: 'integer', default: 1 } },
          },
        },
      },
    },
    status: { type: 'object', properties: { replicas: { type: 'integer' }, selector: text, phase: text } },
  },
};

function definition(plural: string, kind: string, more: object = {}, names: object = {}) {
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: order }, ...more };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: { group: GROUP, scope: 'Namespaced', names: { plural, kind, ...names }, versions: [version] },
  };
}

const scale = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.selector',
};
const orders = definition(
  'orders',
  'Order',
  {
    subresources: { status: {}, scale },
    selectableFields: [{ jsonPath: '.spec.customer' }],
    additionalPrinterColumns: [
      { name: 'Customer', type: 'string', jsonPath: '.spec.customer' },
      { name: 'Lines', type: 'integer', jsonPath: '.spec.replicas', priority: 1 },
    ],
  },
  { shortNames: ['ord'], categories: ['shop'] },
);

describe('Custom resources', () => {
  let system: RunningSystem;
  let client: Client;
  let dir: string;
  const ok = async (...args: string[]): Promise<string> => {
    const result = await kubectl(system.tidegate.kubeconfig, args, { HOME: dir });
    assert.equal(result.code, 0, `kubectl ${args.join(' ')}: ${result.stderr}`);
    return result.stdout;
  };
  const file = (name: string, object: unknown): string => {
    const path = join(dir, name);
    writeFileSync(path, JSON.stringify(object));
    return path;
  };
  const condition = async (name: string, type: string) => {
    const { json } = await client.get(`${CRDS}/${name}`);
    return (json.status?.conditions ?? []).find((one: { type: string }) => one.type === type);
  };
  const establish = async (object: ReturnType<typeof definition>) => {
    const made = await client.request('POST', CRDS, { body: object });
    assert.equal(made.code, 201, made.text);
    const { name } = object.metadata;
    await until(`${name} to be established`, async () => (await condition(name, 'Established'))?.status === 'True');
  };
  const anOrder = (name: string, spec: object = { customer: 'ann' }) => ({
    apiVersion: `${GROUP}/v1`,
    kind: 'Order',
    metadata: { name },
    spec,
  });

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'tidegate-custom-test-'));
    system = await sharedSystem(COMPLETE);
    client = system.client;
    await establish(orders);
  });
  after(async () => {
    await system?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  test('kubectl creates, shows, explains, applies, patches, scales and deletes custom resources.', {
    skip: whyNoKubectl() ?? false,
  }, async () => {
    await ok('create', '-f', file('one.json', anOrder('one')));
    assert.match(await ok('get', 'ord'), /^NAME +CUSTOMER\none +ann\n$/);
    assert.match(await ok('get', 'shop', '-o', 'wide'), /^NAME +CUSTOMER +LINES\none +ann +1\n$/);
    assert.match(await ok('explain', 'order.spec.customer'), /Who pays\./);
    await ok(
      'apply',
      '--server-side',
      '-f',
      file('two.json', anOrder('two', { customer: 'bob', lines: [{ article: 'x' }] })),
    );
    await ok('patch', 'order', 'two', '--type=merge', '-p', '{"spec":{"priority":"high"}}');
    await ok('scale', 'order', 'two', '--replicas=4');
    const path = 'jsonpath={.spec.priority} {.spec.replicas} {.spec.lines[0].count} {.metadata.generation}';
    assert.equal(await ok('get', 'order', 'two', '-o', path), 'high 4 1 3');
    assert.match(await ok('get', 'orders', '--field-selector=spec.customer=bob', '-o', 'name'), /^order\S+\/two\n$/);
    await ok('delete', 'orders', '--all');
    assert.deepEqual((await client.get(ORDERS)).json.items, []);
  });

  test('Defaults of the schema are applied, and an invalid object is rejected with its causes.', async () => {
    const { json: made } = await client.request('POST', ORDERS, {
      body: { ...anOrder('values'), status: { phase: 'x' } },
    });
    assert.deepEqual(
      [made.spec, made.status, made.metadata.generation],
      [{ customer: 'ann', priority: 'low', replicas: 1 }, undefined, 1],
    );
    const wrong = await client.request('POST', ORDERS, { body: anOrder('wrong', { customer: '', replicas: -1 }) });
    assert.equal(wrong.code, 422);
    assert.deepEqual(
      wrong.json.details.causes.map(({ field, reason }: { field: string; reason: string }) => [field, reason]),
      [
        ['spec.customer', 'FieldValueInvalid'],
        ['spec.replicas', 'FieldValueInvalid'],
      ],
    );
    const status = { ...made, spec: { customer: 'eve' }, status: { phase: 'done', replicas: 2, selector: 'a=b' } };
    const { json: updated } = await client.request('PUT', `${ORDERS}/values/status`, { body: status });
    assert.deepEqual([updated.spec.customer, updated.status.phase, updated.metadata.generation], ['ann', 'done', 1]);
    const { json: scaled } = await client.get(`${ORDERS}/values/scale`);
    assert.deepEqual(
      [scaled.kind, scaled.spec, scaled.status],
      ['Scale', { replicas: 1 }, { replicas: 2, selector: 'a=b' }],
    );
  });

  test('Protobuf and strategic merge patches are rejected for custom resources.', async () => {
    await client.request('POST', ORDERS, { body: anOrder('forms') });
    const protobuf = 'application/vnd.kubernetes.protobuf';
    assert.equal((await client.get(`${ORDERS}/forms`, { Accept: protobuf })).code, 406);
    assert.equal((await client.get(`${ORDERS}/forms`, { Accept: `${protobuf}, application/json` })).code, 200);
    const body = Buffer.from('k8s\0');
    assert.equal((await client.request('POST', ORDERS, { body, headers: { 'Content-Type': protobuf } })).code, 415);
    const headers = { 'Content-Type': 'application/strategic-merge-patch+json' };
    assert.equal((await client.request('PATCH', `${ORDERS}/forms`, { body: { spec: {} }, headers })).code, 415);
    assert.equal((await client.request('PUT', `${ORDERS}/absent`, { body: anOrder('absent') })).code, 404);
  });

  test('All gateways start and stop serving a kind at the same time.', async () => {
    const path = `/apis/${GROUP}/v1/namespaces/default/quickies`;
    await establish(definition('quickies', 'Quicky'));
    const clients = Array.from({ length: 8 }, () => new Client(system.tidegate));
    try {
      const codes = await Promise.all(clients.map(async (one) => (await one.get(path)).code));
      assert.deepEqual(new Set(codes), new Set([200]));
      for (const one of clients) {
        const { json } = await one.get(`/apis/${GROUP}/v1`);
        assert.ok(json.resources.some(({ name }: { name: string }) => name === 'quickies'));
      }
      await client.request('DELETE', `${CRDS}/quickies.${GROUP}`);
      await until(
        'the definition to be gone',
        async () => (await client.get(`${CRDS}/quickies.${GROUP}`)).code === 404,
      );
      const gone = async () =>
        (await Promise.all(clients.map((one) => one.get(path)))).every(({ code }) => code === 404);
      await until('all gateways to stop serving the kind', gone);
    } finally {
      for (const one of clients) one.close();
    }
  });

  test('A changed definition applies at once, also to existing objects.', async () => {
    const changing = definition('changings', 'Changing');
    await establish(changing);
    const path = `/apis/${GROUP}/v1/namespaces/default/changings`;
    const body = { apiVersion: `${GROUP}/v1`, kind: 'Changing', metadata: { name: 'a' }, spec: { customer: 'ann' } };
    assert.equal((await client.request('POST', path, { body })).code, 201);
    const { json: now } = await client.get(`${CRDS}/changings.${GROUP}`);
    const [version] = now.spec.versions;
    const { properties } = version.schema.openAPIV3Schema.properties.spec;
    properties.color = { type: 'string', default: 'red' };
    now.spec.versions.push({ ...structuredClone(version), name: 'v2', storage: false });
    const put = await client.request('PUT', `${CRDS}/changings.${GROUP}`, { body: now });
    assert.equal(put.code, 200, put.text);
    const v2 = path.replace('/v1/', '/v2/');
    const { json: list } = await until('the new version', async () => {
      const reply = await client.get(v2);
      return reply.code === 200 ? reply : undefined;
    });
    assert.deepEqual([list.items[0].apiVersion, list.items[0].spec.color], [`${GROUP}/v2`, 'red']);
    const older = await client.get(`${path}/a`);
    assert.deepEqual([older.json.apiVersion, older.json.spec.color], [`${GROUP}/v1`, 'red']);
    const written = await client.request('POST', v2, {
      body: { ...body, apiVersion: `${GROUP}/v2`, metadata: { name: 'b' } },
    });
    assert.equal(written.code, 201, written.text);
    assert.equal((await client.get(`${path}/b`)).json.apiVersion, `${GROUP}/v1`);
    const order = (await client.get(`/apis/${GROUP}`)).json.versions.map((one: { version: string }) => one.version);
    assert.deepEqual(order, ['v2', 'v1']);
  });

  test('Each version has its own fields, columns and subresources, and a deprecated version warns.', async () => {
    const versioned = (name: string, more: object, spec: object) => ({
      name,
      served: true,
      storage: name === 'v1beta1',
      schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: spec } } } },
      ...more,
    });
    const spec = { color: text, count: { type: 'integer' } };
    const older = versioned('v1beta1', { deprecated: true }, { ...spec, gone: text });
    const newer = versioned(
      'v1',
      {
        subresources: { scale: { specReplicasPath: '.spec.count', statusReplicasPath: '.status.count' } },
        selectableFields: [{ jsonPath: '.spec.color' }],
        additionalPrinterColumns: [{ name: 'Size', type: 'string', jsonPath: '.spec.size' }],
      },
      { ...spec, size: { ...text, default: 'small' } },
    );
    const toys = definition('toys', 'Toy');
    await establish({ ...toys, spec: { ...toys.spec, versions: [older, newer] as never } });
    const [old, now] = ['v1beta1', 'v1'].map((version) => `/apis/${GROUP}/${version}/namespaces/default/toys`);
    const object = { kind: 'Toy', metadata: { name: 'a' }, spec: { color: 'red', gone: 'x', count: 1 } };
    const made = await client.request('POST', old as string, { body: { apiVersion: `${GROUP}/v1beta1`, ...object } });
    assert.equal(made.headers.warning, `299 - "${GROUP}/v1beta1 Toy is deprecated; use ${GROUP}/v1 Toy"`);
    const shown = await client.get(`${now}/a`);
    assert.deepEqual(
      [shown.json.apiVersion, shown.json.spec, shown.headers.warning],
      [`${GROUP}/v1`, { color: 'red', count: 1, size: 'small' }, undefined],
    );
    const table = await client.get(now as string, { Accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' });
    assert.deepEqual(table.json.rows[0].cells, ['a', 'small']);
    assert.equal((await client.get(`${now}?fieldSelector=spec.color%3Dred`)).json.items.length, 1);
    assert.equal((await client.get(`${now}?fieldSelector=spec.color%3Dblue`)).json.items.length, 0);
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const scaled = await client.request('PATCH', `${now}/a/scale`, { body: { spec: { replicas: 5 } }, headers });
    assert.deepEqual([scaled.json.kind, scaled.json.spec], ['Scale', { replicas: 5 }]);
    assert.deepEqual((await client.get(`${old}/a`)).json.spec, { color: 'red', gone: 'x', count: 5 });
    assert.equal((await client.get(`${old}/a/scale`)).code, 404);
    const { json: current } = await client.get(`${CRDS}/toys.${GROUP}`);
    current.spec.versions[0].storage = false;
    current.spec.versions[1].storage = true;
    const moved = await client.request('PUT', `${CRDS}/toys.${GROUP}`, { body: current });
    assert.deepEqual(moved.json.status?.storedVersions, ['v1beta1', 'v1'], moved.text);
    current.spec.versions.shift();
    current.metadata.resourceVersion = moved.json.metadata.resourceVersion;
    const dropped = await client.request('PUT', `${CRDS}/toys.${GROUP}`, { body: current });
    assert.match(dropped.json.message, /v1beta1 was previously a storage version/);
  });

  test('A terminating namespace deletes its custom resources.', async () => {
    await client.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'closing' } } });
    const path = ORDERS.replace('/default/', '/closing/');
    assert.equal((await client.request('POST', path, { body: anOrder('last') })).code, 201);
    await client.request('DELETE', '/api/v1/namespaces/closing');
    await until(
      'the namespace to be deleted',
      async () => (await client.get('/api/v1/namespaces/closing')).code === 404,
    );
    assert.equal((await client.get(`${path}/last`)).code, 404);
  });

  test('A watch of custom resources sends every change and ends when the kind is removed.', async () => {
    await establish(definition('fleetings', 'Fleeting'));
    const path = `/apis/${GROUP}/v1/namespaces/default/fleetings`;
    const watch = await client.watch(`${path}?watch=1`);
    const body = { apiVersion: `${GROUP}/v1`, kind: 'Fleeting', metadata: { name: 'a' }, spec: { customer: 'ann' } };
    await client.request('POST', path, { body });
    assert.deepEqual([(await watch.next()).object.metadata.name], ['a']);
    await client.request('DELETE', `${CRDS}/fleetings.${GROUP}`);
    const rest = await watch.rest();
    assert.deepEqual(rest.filter(({ type }) => type === 'DELETED').length <= 1, true);
    await until('the definition to be gone', async () => (await client.get(`${CRDS}/fleetings.${GROUP}`)).code === 404);
  });

  test('A definition with conflicting names is not served until the names are free.', async () => {
    await establish(definition('firsts', 'First', {}, { shortNames: ['fst'] }));
    const second = definition('seconds', 'Second', {}, { shortNames: ['fst'] });
    await client.request('POST', CRDS, { body: second });
    const rejected = await until('the condition NamesAccepted', () => condition(`seconds.${GROUP}`, 'NamesAccepted'));
    assert.deepEqual(
      [rejected.status, rejected.reason, rejected.message],
      ['False', 'ShortNamesConflict', '"fst" is already in use'],
    );
    assert.equal((await client.get(`/apis/${GROUP}/v1/seconds`)).code, 404);
    await client.request('DELETE', `${CRDS}/firsts.${GROUP}`);
    const established = async () => (await condition(`seconds.${GROUP}`, 'Established'))?.status === 'True';
    await until('the second to be established', established);
  });

  test('A deleted definition waits for its objects and accepts no new ones.', async () => {
    await establish(definition('helds', 'Held'));
    const path = `/apis/${GROUP}/v1/namespaces/default/helds`;
    const body = (name: string, finalizers: string[]) => ({
      apiVersion: `${GROUP}/v1`,
      kind: 'Held',
      metadata: { name, finalizers },
      spec: { customer: 'ann' },
    });
    await client.request('POST', path, { body: body('free', []) });
    // finalizers of custom kinds need no domain
    assert.equal((await client.request('POST', path, { body: body('held', ['wait']) })).code, 201);
    const { json: deleted } = await client.request('DELETE', `${CRDS}/helds.${GROUP}`);
    assert.deepEqual(deleted.metadata.finalizers, ['customresourcecleanup.apiextensions.k8s.io']);
    assert.equal((await client.request('POST', path, { body: body('late', []) })).code, 405);
    const remaining = async () =>
      (await client.get(path)).json.items.map((one: { metadata: { name: string } }) => one.metadata.name);
    await until('the object without finalizers to be deleted', async () => String(await remaining()) === 'held');
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    await client.request('PATCH', `${path}/held`, { body: { metadata: { finalizers: null } }, headers });
    await until('the definition to be gone', async () => (await client.get(`${CRDS}/helds.${GROUP}`)).code === 404);
    await until('the kind to be gone with it', async () => (await client.get(path)).code === 404);
  });
});
