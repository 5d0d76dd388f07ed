import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { until } from '@tidegate/testkit';
import { type Client, configMap, MAPS } from './support/client.ts';
import { ALL_NAMESPACES, History, path } from './support/history.ts';
import { type RunningSystem, runningSystem } from './support/running-system.ts';

const nameOf = (object: { metadata: { name: string } }) => object.metadata.name;
const exact = (revision: number | string) => `resourceVersion=${revision}&resourceVersionMatch=Exact`;

/** The value of a metric of the gateway, by the full name of the series. */
async function counted(client: Client, series: string): Promise<number> {
  const { text } = await client.get('/metrics');
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1) ?? 0);
}
const mirrors = (client: Client) => counted(client, 'tidegate_gateway_mirrors');
const forwardedLists = (client: Client) => counted(client, 'tidegate_gateway_lists_total{source="watch"}');

/** The gateway mirrors collections of at most one MiB; the ConfigMaps have more than two. */
describe('A collection that is too large for a mirror', () => {
  let system: RunningSystem;
  let client: Client;
  let history: History;
  let large: string[];

  before(async () => {
    system = await runningSystem({ env: { TIDEGATE_MIRROR_LARGEST_MIB: '1' } });
    ({ client } = system);
    large = Array.from({ length: 150 }, (_, i) => `large-${100 + i}`);
    for (const name of large) await client.request('POST', MAPS, { body: configMap(name, { a: name.repeat(1800) }) });
    const size = 'tidegate_gateway_collection_bytes{resource="configmaps"}';
    await until('the size metric of the collection', async () => (await counted(client, size)) > 1 << 20);
    history = new History(client);
    await history.makeNamespaces();
    await history.makeChanges(60);
  });
  after(() => system.stop());

  test('It can be listed completely, by namespace and by selector, and is never mirrored.', async () => {
    const before = { held: await mirrors(client), passed: await forwardedLists(client) };
    const { json, bytes } = await client.get(ALL_NAMESPACES);
    assert.ok(bytes.length > 2 << 20);
    assert.equal(json.kind, 'ConfigMapList');
    assert.deepEqual(json.items.filter((item: never) => nameOf(item).startsWith('large-')).map(nameOf), large);
    const played = json.items.filter((item: { data: { step?: string } }) => item.data.step !== undefined);
    assert.deepEqual(played, history.at(history.last));
    const alpha = (await client.get(path('alpha'))).json;
    assert.deepEqual(
      alpha.items,
      history.at(history.last, (object) => object.metadata.namespace === 'alpha'),
    );
    const red = (await client.get(`${ALL_NAMESPACES}?labelSelector=color%3Dred`)).json;
    assert.deepEqual(
      red.items,
      history.at(history.last, (object) => object.metadata.labels.color === 'red'),
    );
    const none = (await client.get(`${path('nowhere')}`)).json;
    assert.deepEqual(none.items, []);
    assert.equal(await mirrors(client), before.held);
    assert.equal(await forwardedLists(client), before.passed + 4);
  });

  test('Lists of it are as fresh as requested.', async () => {
    const { json: made } = await client.request('POST', MAPS, { body: configMap(`fresh`) });
    const revision = Number(made.metadata.resourceVersion);
    const has = async (query: string) => {
      const { code, json } = await client.get(`${MAPS}?${query}`);
      assert.equal(code, 200);
      assert.ok(Number(json.metadata.resourceVersion) >= revision);
      return json.items.some((item: never) => nameOf(item) === 'fresh');
    };
    assert.ok(await has(''));
    assert.ok(await has(`resourceVersion=${revision}`));
    assert.ok(await has(`resourceVersion=${revision}&resourceVersionMatch=NotOlderThan`));
    assert.equal((await client.get(`${MAPS}?resourceVersion=0`)).code, 200);
    assert.equal((await client.get(`${MAPS}/fresh?resourceVersion=0`)).json.metadata.name, 'fresh');
    assert.equal((await client.get(`${MAPS}/fresh?resourceVersion=${revision}`)).json.metadata.name, 'fresh');
    assert.equal((await client.get(`${MAPS}/nothing?resourceVersion=${revision}`)).code, 404);
    for (const ask of [MAPS, `${MAPS}/fresh`]) {
      const { code, json, headers } = await client.get(`${ask}?resourceVersion=${revision + 1000}`);
      assert.deepEqual([code, headers['retry-after']], [504, '1']);
      assert.equal(json.details.causes[0].reason, 'ResourceVersionTooLarge');
    }
    const past = (await client.get(`${MAPS}?${exact(revision - 1)}`)).json;
    assert.equal(past.metadata.resourceVersion, String(revision - 1));
    assert.ok(!past.items.some((item: never) => nameOf(item) === 'fresh'));
  });

  test('Its pages show one snapshot with the remaining count during writes.', async () => {
    const whole = (await client.get(`${ALL_NAMESPACES}`)).json;
    for (const first of ['', exact(whole.metadata.resourceVersion)]) {
      const items: unknown[] = [];
      let total = whole.items.length;
      let query = first;
      for (let page = 0; ; page++) {
        const { json } = await client.get(`${ALL_NAMESPACES}?limit=40&${query}`);
        if (page === 0) total = json.items.length + json.metadata.remainingItemCount;
        items.push(...json.items);
        assert.equal(json.metadata.remainingItemCount ?? 0, total - items.length);
        if (json.metadata.continue === '') break;
        assert.equal(json.items.length, 40);
        query = `continue=${json.metadata.continue}`;
        await client.request('POST', MAPS, { body: configMap(`page-${first.length}-${page}`) });
      }
      assert.equal(items.length, total);
      if (first !== '') assert.deepEqual(items, whole.items);
    }
    const selected = (await client.get(`${ALL_NAMESPACES}?limit=2&labelSelector=color%3Dred`)).json;
    assert.equal(selected.items.length, 2);
    assert.equal(selected.metadata.remainingItemCount, undefined);
    const next = `${ALL_NAMESPACES}?limit=500&labelSelector=color%3Dred&continue=${selected.metadata.continue}`;
    const rest = (await client.get(next)).json;
    assert.deepEqual(
      [...selected.items, ...rest.items],
      history.at(history.last, (object) => object.metadata.labels.color === 'red'),
    );
  });

  test('It is served in every format and compressed.', async () => {
    const { json, bytes } = await client.get(ALL_NAMESPACES);
    const gzip = await client.get(ALL_NAMESPACES, { 'Accept-Encoding': 'gzip' });
    assert.equal(gzip.headers['content-encoding'], 'gzip');
    assert.deepEqual(gunzipSync(gzip.bytes), bytes);
    const pretty = await client.get(`${ALL_NAMESPACES}?pretty=1`);
    assert.equal(pretty.text, `${JSON.stringify(pretty.json, null, 2)}\n`);
    assert.deepEqual(pretty.json, json);
    const table = await client.get(ALL_NAMESPACES, { Accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' });
    assert.deepEqual(
      table.json.rows.map((row: { cells: string[] }) => row.cells[0]),
      json.items.map(nameOf),
    );
  });

  test('It is mirrored when it is watched, with the same contents.', async () => {
    const { json } = await client.get(ALL_NAMESPACES);
    const before = { held: await mirrors(client), passed: await forwardedLists(client) };
    const watch = await client.watch(`${ALL_NAMESPACES}?watch=1&resourceVersion=${json.metadata.resourceVersion}`);
    const { json: made } = await client.request('POST', MAPS, { body: configMap('watched') });
    assert.deepEqual((await watch.next()).object, made);
    assert.equal(await mirrors(client), before.held + 1);
    const after = (await client.get(ALL_NAMESPACES)).json;
    assert.deepEqual(
      after.items.filter((item: never) => nameOf(item) !== 'watched'),
      json.items,
    );
    assert.equal(await forwardedLists(client), before.passed);
    watch.close();
  });
});
