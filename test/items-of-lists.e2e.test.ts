import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { type JsonObject, readYamlFile } from '@tidegate/schema';
import { until } from '@tidegate/testkit';
import { ENCODINGS } from './support/body-encodings.ts';
import { type Client, configMap, MAPS, type Reply } from './support/client.ts';
import { type RunningSystem, runningSystem, SMALL_LIMITS } from './support/running-system.ts';

const NUMS = '/apis/items.example.com/v1/namespaces/default/nums';
const SCALERS_V1 = '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers';
const SCALERS_V2 = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'nums.items.example.com' },
  spec: {
    group: 'items.example.com',
    scope: 'Namespaced',
    names: { plural: 'nums', kind: 'Num' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};
const scaler = (name: string) => ({
  metadata: { name },
  spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'a', apiVersion: 'apps/v1' } },
});
const num = (name: string) => ({ apiVersion: 'items.example.com/v1', kind: 'Num', metadata: { name } });

async function fill(client: Client): Promise<void> {
  await client.request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: definition });
  await until('the kind to be served', async () => (await client.get(NUMS)).code === 200);
  for (const name of ['a', 'b', 'c']) {
    const made = [
      await client.request('POST', MAPS, { body: configMap(name, { k: name }) }),
      await client.request('POST', SCALERS_V2, { body: scaler(name) }),
      await client.request('POST', NUMS, { body: num(name) }),
    ];
    for (const { code, text } of made) assert.equal(code, 201, text);
  }
}

type Read = (reply: Reply) => JsonObject;
const json: Read = ({ text }) => JSON.parse(text);

/** Every way to read whole objects of a list: query, headers and decoder. */
const FORMS: Record<string, { headers?: Record<string, string>; query?: string; read: Read }> = {
  JSON: { read: json },
  indented: { query: 'pretty=1', read: json },
  gzip: { headers: { 'Accept-Encoding': 'gzip' }, read: ({ bytes }) => JSON.parse(gunzipSync(bytes).toString()) },
  selected: { query: 'fieldSelector=metadata.name!%3Dnobody', read: json },
  YAML: { headers: { Accept: 'application/yaml' }, read: ({ text }) => readYamlFile(text) as JsonObject },
  CBOR: {
    headers: { Accept: 'application/cbor' },
    read: ({ bytes }) => (ENCODINGS[2] as (typeof ENCODINGS)[number]).read(bytes, { type: 'object', fields: {} }),
  },
};

/** An object as an item in a list of a built-in kind. */
const typeless = ({ kind: _kind, apiVersion: _apiVersion, ...object }: JsonObject): JsonObject => object;

/** Asserts that every form of a list has the same items, all with or all without their kind. */
async function agree(client: Client, path: string, query = ''): Promise<void> {
  for (const [name, { headers = {}, query: own = '', read }] of Object.entries(FORMS)) {
    const reply = await client.get(`${path}?${query}&${own}`, headers);
    assert.equal(reply.code, 200, `${name}: ${reply.text.slice(0, 300)}`);
    const { items, kind } = read(reply) as { items: JsonObject[]; kind: string };
    assert.match(kind, /List$/);
    const names = items.map((item) => (item.metadata as JsonObject).name as string);
    assert.ok(names.length >= 3, name);
    for (const [i, item] of items.entries()) {
      const whole = (await client.get(`${path}/${names[i]}`)).json;
      assert.ok(whole.kind !== undefined && whole.apiVersion !== undefined);
      assert.deepEqual(item, path === NUMS ? whole : typeless(whole), `${name} of ${path}`);
    }
  }
}

describe('Items of lists have apiVersion and kind only for custom kinds', () => {
  let system: RunningSystem;
  let client: Client;
  before(async () => {
    const gates = 'ListFromCacheSnapshot=false,CBORServingAndStorage=true';
    system = await runningSystem({
      args: ['--feature-gates', gates],
      env: { TIDEGATE_RESPONSE_COMPRESSION_MIN_BYTES: '1' },
    });
    ({ client } = system);
    await fill(client);
  });
  after(() => system.stop());

  for (const path of [MAPS, SCALERS_V1, SCALERS_V2, NUMS]) {
    test(`Items have the same form in current lists, pages and old lists: ${path}.`, async () => {
      await agree(client, path);
      // a changed item is no longer part of the received segment
      await client.request('PATCH', `${path}/b`, {
        body: { metadata: { labels: { seen: 'true' } } },
        headers: { 'Content-Type': 'application/merge-patch+json' },
      });
      await agree(client, path, 'limit=5');
      const { resourceVersion } = (await client.get(path)).json.metadata;
      await agree(client, path, `resourceVersion=${resourceVersion}&resourceVersionMatch=NotOlderThan`);
      // with the gate off, such a list is read from the store
      await agree(client, path, `resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`);
    });

    test(`Metadata, rows and events have the kind of each object: ${path}.`, async () => {
      const as = (form: string) => ({ Accept: `application/json;as=${form};g=meta.k8s.io;v=v1` });
      const { items } = (await client.get(path, as('PartialObjectMetadataList'))).json;
      assert.ok(items.every(({ kind }: JsonObject) => kind === 'PartialObjectMetadata'));
      const whole = (await client.get(`${path}/a`)).json;
      const { rows } = (await client.get(`${path}?includeObject=Object`, as('Table'))).json;
      assert.deepEqual(rows[0].object, whole);
      const defaultTable = (await client.get(path, as('Table'))).json;
      assert.equal(defaultTable.rows[0].object.kind, 'PartialObjectMetadata');
      const watch = await client.watch(`${path}?watch=1`);
      assert.deepEqual((await watch.next())?.object, whole);
      watch.close();
    });

    test(`The answer to a deletion of a collection has the items of a list: ${path}.`, async () => {
      const listed = (await client.get(path)).json.items;
      const reply = await client.request('DELETE', `${path}?dryRun=All`);
      assert.deepEqual(reply.json.items, listed);
    });
  }
});

describe('Items of lists that are forwarded from the watch service', () => {
  let system: RunningSystem;
  let client: Client;
  before(async () => {
    // these collections must not have been watched before, because watched collections are mirrored at any size
    system = await runningSystem(SMALL_LIMITS);
    ({ client } = system);
    await fill(client);
    const large = 'x'.repeat(600_000);
    for (const name of ['large-1', 'large-2']) {
      await client.request('POST', MAPS, { body: configMap(name, { large }) });
      const body = { ...num(name), metadata: { name, annotations: { large: large.slice(0, 200_000) } } };
      await client.request('POST', NUMS, { body });
    }
    const size = 'tidegate_gateway_collection_bytes{resource="configmaps"}';
    await until('the size metric', async () => (await client.get('/metrics')).text.includes(size));
  });
  after(() => system.stop());

  for (const path of [MAPS, NUMS]) {
    test(`Items have the same form in a forwarded list: ${path}.`, async () => {
      await agree(client, path);
      await agree(client, path, 'limit=4');
    });
  }

  test('The lists were forwarded from the watch service.', async () => {
    assert.match((await client.get('/metrics')).text, /^tidegate_gateway_lists_total\{source="watch"\} [1-9]/m);
  });
});
