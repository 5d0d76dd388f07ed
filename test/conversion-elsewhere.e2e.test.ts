import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startWebhooks, type TestWebhooks, until } from '@tidegate/testkit';
import type { Client } from './support/client.ts';
import { type ConvertedKind, defineConverted } from './support/converted-kind.ts';
import { type RunningSystem, SMALL_LIMITS } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const MERGE = { 'Content-Type': 'application/merge-patch+json' };
type Named = { metadata: { name: string }; spec: { address: string } };
const namesIn = (items: Named[]) => items.map(({ metadata }) => metadata.name);

async function counted(client: Client, series: string): Promise<number> {
  const { text } = await client.get('/metrics');
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1) ?? 0);
}
const listsFrom = (client: Client, source: string) =>
  counted(client, `tidegate_gateway_lists_total{source="${source}"}`);

/** The gateway has a small window and mirrors only collections of at most one MiB. */
describe('Conversion of objects that the gateway does not mirror', () => {
  let system: RunningSystem;
  let client: Client;
  let webhooks: TestWebhooks;
  before(async () => {
    system = await sharedSystem(SMALL_LIMITS);
    ({ client } = system);
    webhooks = await startWebhooks();
  });
  after(async () => {
    await webhooks?.stop();
    await system?.stop();
  });

  const create = async (kind: ConvertedKind, name: string, spec: object) => {
    const { code, json, text } = await client.request('POST', kind.path('v1'), { body: kind.object('v1', name, spec) });
    assert.equal(code, 201, text);
    return json.metadata.resourceVersion as string;
  };

  test('A collection that is too large for a mirror can be listed completely, by selector and in pages.', async () => {
    const kind = await defineConverted(client, webhooks, 'larges');
    const names = Array.from({ length: 160 }, (_, index) => `p-${100 + index}`);
    for (const name of names) await create(kind, name, { host: name, port: 1, mode: 'x'.repeat(8000) });
    const size = `tidegate_gateway_collection_bytes{resource="${kind.name}"}`;
    await until('the size metric of the collection', async () => (await counted(client, size)) > 1 << 20);
    const before = await listsFrom(client, 'watch');
    kind.calls();
    const { json } = await client.get(kind.path('v2'));
    assert.deepEqual(namesIn(json.items), names);
    assert.ok(json.items.every(({ metadata, spec }: Named) => spec.address === `${metadata.name}:1`));
    assert.ok(kind.calls().length < 8);
    const one = await client.get(`${kind.path('v2')}?fieldSelector=spec.address%3Dp-110:1`);
    assert.deepEqual(namesIn(one.json.items), ['p-110']);
    const page = await client.get(`${kind.path('v2')}?limit=7`);
    assert.deepEqual(namesIn(page.json.items), names.slice(0, 7));
    assert.equal(await listsFrom(client, 'watch'), before + 3);
  });

  test('Exact lists and watches outside of the window are read from the store and converted.', async () => {
    const kind = await defineConverted(client, webhooks, 'pasts');
    const [v1, v2] = [kind.path('v1'), kind.path('v2')];
    await client.get(v2);
    const start = await create(kind, 'a', { host: 'a', port: 1 });
    const changes = Array.from({ length: 40 }, (_, index) => index + 2);
    for (const port of changes) await client.request('PATCH', `${v1}/a`, { body: { spec: { port } }, headers: MERGE });
    const before = await listsFrom(client, 'store');
    const exact = await client.get(`${v2}?resourceVersion=${start}&resourceVersionMatch=Exact`);
    assert.equal(await listsFrom(client, 'store'), before + 1);
    assert.equal(exact.json.items[0].spec.address, 'a:1');

    const watching = await client.watch(`${v2}?watch=1&resourceVersion=${start}`);
    for (const port of changes) assert.equal((await watching.next()).object.spec.address, `a:${port}`);
    watching.close();
    const selecting = await client.watch(`${v2}?watch=1&resourceVersion=${start}&fieldSelector=spec.address%3Da:7`);
    const [added, deleted] = [await selecting.next(), await selecting.next()];
    assert.deepEqual([added.type, added.object.spec.address], ['ADDED', 'a:7']);
    assert.deepEqual([deleted.type, deleted.object.spec.address], ['DELETED', 'a:7']);
    selecting.close();
  });

  test('A failed conversion in the history ends a watch at its event.', async () => {
    const kind = await defineConverted(client, webhooks, 'breaks');
    const [v1, v2] = [kind.path('v1'), kind.path('v2')];
    await client.get(v2);
    const start = await create(kind, 'a', { host: 'a', port: 1 });
    const patch = (body: object) => client.request('PATCH', `${v1}/a`, { body, headers: MERGE });
    await patch({ spec: { port: 2 } });
    await patch({ metadata: { annotations: { convert: 'fail' } } });
    await patch({ metadata: { annotations: { convert: null } } });
    for (let port = 3; port < 40; port++) await patch({ spec: { port } });
    const watching = await client.watch(`${v2}?watch=1&resourceVersion=${start}`);
    const events = await watching.rest();
    assert.deepEqual(
      events.map(({ type, object }) => [type, object.spec?.address ?? object.message]),
      [
        ['MODIFIED', 'a:2'],
        ['ERROR', 'conversion webhook for conversion.example.com/v1, Kind=Break failed: no way'],
      ],
    );
  });
});
