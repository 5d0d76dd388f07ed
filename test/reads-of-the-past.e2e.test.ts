import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { until } from '@tidegate/testkit';
import { type Client, configMap, MAPS } from './support/client.ts';
import { ALL_NAMESPACES, eventLine, History, path } from './support/history.ts';
import { type RunningSystem, runningSystem, SMALL_LIMITS } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const STEPS = 160;
const isRed = (object: { metadata: { labels: { color: string } } }) => object.metadata.labels.color === 'red';
const inAlpha = (object: { metadata: { namespace: string } }) => object.metadata.namespace === 'alpha';

async function listsFromStore(client: Client): Promise<number> {
  const { text } = await client.get('/metrics');
  return Number(/^tidegate_gateway_lists_total\{source="store"\} (\d+)/m.exec(text)?.[1] ?? 0);
}

/** The windows of the mirrors are small, so older states are read from the store. */
describe('States outside of the mirror window', () => {
  let system: RunningSystem;
  let client: Client;
  let history: History;
  let moments: number[];

  before(async () => {
    system = await sharedSystem(SMALL_LIMITS);
    ({ client } = system);
    history = new History(client);
    await history.makeNamespaces();
    await history.makeChanges(STEPS);
    moments = [1, 5, 40, 80, 111].map((i) => history.steps[i]?.revision ?? 0);
  });
  after(() => system.stop());

  const exact = (revision: number) => `resourceVersion=${revision}&resourceVersionMatch=Exact`;

  test('An exact list shows the old state, for one and all namespaces, with and without selectors.', async () => {
    const before = await listsFromStore(client);
    for (const revision of moments) {
      const everything = (await client.get(`${ALL_NAMESPACES}?${exact(revision)}`)).json;
      assert.equal(everything.kind, 'ConfigMapList');
      assert.deepEqual(everything.metadata, { resourceVersion: String(revision) });
      const played = everything.items.filter((item: { data: { step?: string } }) => item.data.step !== undefined);
      assert.deepEqual(played, history.at(revision));
      const alpha = (await client.get(`${path('alpha')}?${exact(revision)}`)).json;
      assert.deepEqual(alpha.items, history.at(revision, inAlpha));
      const red = (await client.get(`${path('alpha')}?${exact(revision)}&labelSelector=color%3Dred`)).json;
      assert.deepEqual(
        red.items,
        history.at(revision, (object) => inAlpha(object) && isRed(object)),
      );
    }
    assert.equal(await listsFromStore(client), before + 3 * moments.length);
  });

  test('A deletion of a collection at an old version deletes the objects of that version, page by page.', async () => {
    const collection = path('beta');
    const first = exact(moments.at(-1) ?? 0);
    const whole = (await client.get(`${collection}?${first}`)).json.items;
    const items: unknown[] = [];
    let next = first;
    do {
      const { code, text, json } = await client.request('DELETE', `${collection}?dryRun=All&limit=2&${next}`);
      assert.equal(code, 200, text);
      items.push(...json.items);
      next = json.metadata.continue === '' ? '' : `continue=${json.metadata.continue}`;
    } while (next !== '');
    assert.deepEqual(items, whole);
    const red = await client.request('DELETE', `${collection}?dryRun=All&labelSelector=color%3Dred&${first}`);
    assert.deepEqual(red.json.items, whole.filter(isRed));
  });

  for (const [where, collection] of [
    ['one namespace', path('beta')],
    ['all namespaces', ALL_NAMESPACES],
  ] as const) {
    test(`Pages of ${where} show one snapshot with the remaining count during writes.`, async () => {
      const revision = moments.at(-1) ?? 0;
      const whole = (await client.get(`${collection}?${exact(revision)}`)).json.items;
      for (const limit of [1, 3, 7]) {
        const items: unknown[] = [];
        let query = exact(revision);
        for (let page = 0; ; page++) {
          const { code, text, json } = await client.get(`${collection}?limit=${limit}&${query}`);
          assert.equal(code, 200, text);
          assert.equal(json.metadata.resourceVersion, String(revision));
          items.push(...json.items);
          const remaining = whole.length - items.length;
          assert.equal(json.metadata.remainingItemCount, remaining === 0 ? undefined : remaining);
          if (json.metadata.continue === '') break;
          assert.equal(json.items.length, limit);
          query = `continue=${json.metadata.continue}`;
          await client.request('POST', MAPS, { body: configMap(`p${limit}-${page}-${where.replace(' ', '-')}`) });
        }
        assert.deepEqual(items, whole);
      }
    });
  }

  test('A paged list from the mirror continues in the store after its version left the window.', async () => {
    // start more paged lists than a mirror keeps snapshots for
    const whole = (await client.get(path('beta'))).json;
    let page = (await client.get(`${path('beta')}?limit=2`)).json;
    const items = [...page.items];
    const before = await listsFromStore(client);
    for (let i = 0; i < 70; i++) {
      await client.request('POST', MAPS, { body: configMap(`between-${i}`) });
      await client.get(`${path('beta')}?limit=1`);
    }
    while (page.metadata.continue !== '') {
      const query = `limit=2&continue=${page.metadata.continue}`;
      page = (await client.get(`${path('beta')}?${query}`)).json;
      items.push(...page.items);
      const remaining = whole.items.length - items.length;
      assert.equal(page.metadata.remainingItemCount, remaining === 0 ? undefined : remaining);
    }
    assert.deepEqual(items, whole.items);
    assert.ok((await listsFromStore(client)) > before);
  });

  test('Pages with a selector have no remaining count.', async () => {
    const revision = moments.at(-1) ?? 0;
    const expected = history.at(revision, isRed);
    const items: unknown[] = [];
    for (let query = exact(revision); query !== ''; ) {
      const { json } = await client.get(`${ALL_NAMESPACES}?limit=2&labelSelector=color%3Dred&${query}`);
      assert.equal(json.metadata.remainingItemCount, undefined);
      items.push(...json.items);
      query = json.metadata.continue === '' ? '' : `continue=${json.metadata.continue}`;
    }
    assert.deepEqual(items, expected);
  });

  test('Old states are served in every format and compressed.', async () => {
    const revision = moments.at(-1) ?? 0;
    const list = `${path('beta')}?${exact(revision)}`;
    const { items } = (await client.get(list)).json;
    const pretty = await client.get(`${list}&pretty=1`);
    assert.deepEqual(pretty.json.items, items);
    assert.equal(pretty.text, `${JSON.stringify(pretty.json, null, 2)}\n`);
    const empty = await client.get(`${list}&pretty=1&labelSelector=none`);
    assert.equal(empty.text, `${JSON.stringify({ ...pretty.json, items: [] }, null, 2)}\n`);
    const form = (as: string) => client.get(list, { Accept: `application/json;as=${as};g=meta.k8s.io;v=v1` });
    const table = (await form('Table')).json;
    assert.equal(table.kind, 'Table');
    assert.equal(table.metadata.resourceVersion, String(revision));
    assert.deepEqual(
      table.rows.map((row: { cells: string[] }) => row.cells[0]),
      items.map((item: { metadata: { name: string } }) => item.metadata.name),
    );
    const metadata = (await form('PartialObjectMetadataList')).json;
    assert.equal(metadata.kind, 'PartialObjectMetadataList');
    assert.deepEqual(
      metadata.items.map((item: { metadata: object }) => item.metadata),
      items.map((item: { metadata: object }) => item.metadata),
    );
    const gzip = await client.get(list, { 'Accept-Encoding': 'gzip' });
    assert.equal(gzip.headers['content-encoding'], 'gzip');
    assert.deepEqual(JSON.parse(gunzipSync(gzip.bytes).toString()).items, items);
  });

  test('A large list is streamed from the store, plain and compressed, also after aborted reads.', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `large-${10 + i}`);
    for (const name of names) await client.request('POST', MAPS, { body: configMap(name, { a: name.repeat(15_000) }) });
    const { json: now } = await client.get(`${MAPS}?fieldSelector=metadata.name%3Dlarge-10`);
    for (let i = 0; i < 60; i++) await client.request('POST', MAPS, { body: configMap(`later-${i}`) });
    const list = `${MAPS}?${exact(now.metadata.resourceVersion)}`;
    const before = await listsFromStore(client);
    const plain = await client.get(list);
    assert.equal(plain.headers['transfer-encoding'], 'chunked');
    assert.ok(plain.bytes.length > 3 << 20);
    assert.deepEqual(
      plain.json.items
        .map((item: { metadata: { name: string } }) => item.metadata.name)
        .filter((name: string) => name.startsWith('la')),
      names,
    );
    const gzip = await client.get(list, { 'Accept-Encoding': 'gzip' });
    assert.deepEqual(gunzipSync(gzip.bytes), plain.bytes);
    assert.equal(await listsFromStore(client), before + 2);

    const session = connect(system.tidegate.server, { ca: readFileSync(system.tidegate.caFile) });
    const send = (coding: string) =>
      session.request({ ':path': list, 'accept-encoding': coding, authorization: `Bearer ${system.tidegate.token}` });
    for (const coding of ['gzip', 'identity']) {
      for (let i = 0; i < 3; i++) {
        const aborted = send(coding);
        await once(aborted, 'response');
        aborted.destroy();
      }
      const bytes = Buffer.concat(await send(coding).toArray());
      assert.deepEqual(coding === 'gzip' ? gunzipSync(bytes) : bytes, plain.bytes);
    }
    session.close();
  });

  const alphaRed = (object: never) => inAlpha(object) && isRed(object);
  const isX12 = (object: { metadata: { name: string } }) => object.metadata.name === 'x12';
  const watches: ReadonlyArray<[string, string, (object: never) => boolean]> = [
    ['everything', `${ALL_NAMESPACES}?watch=1`, () => true],
    ['a namespace', `${path('alpha')}?watch=1`, inAlpha as never],
    ['a selection', `${ALL_NAMESPACES}?watch=1&labelSelector=color%3Dred`, isRed as never],
    ['a selection of a namespace', `${path('alpha')}?watch=1&labelSelector=color%3Dred`, alphaRed],
    ['one object', `${path('beta')}/x12?watch=1`, ((object: never) => !inAlpha(object) && isX12(object)) as never],
  ];
  for (const [what, address, selects] of watches) {
    test(`A watch of ${what} sends every change since its version, once and in order, and continues with new ones.`, async () => {
      for (const revision of moments) {
        const watch = await client.watch(`${address}&resourceVersion=${revision}&timeoutSeconds=20`);
        assert.equal(watch.code, 200);
        await history.change('alpha', 'x12', 'red');
        await history.change('beta', 'x12', 'red');
        await history.change('alpha', 'x12', 'blue');
        const expected = history.events(revision, selects as never);
        const received: string[] = [];
        while (received.length < expected.length) {
          const event = await watch.next();
          if (event.object.data?.step !== undefined) received.push(eventLine(event));
        }
        assert.deepEqual(received, expected);
        watch.close();
      }
    });
  }

  test('Several watches from the same old version receive the same events.', async () => {
    const [revision = 0] = moments;
    const expected = history.events(revision, isRed as never);
    const receive = async () => {
      const watch = await client.watch(
        `${ALL_NAMESPACES}?watch=1&labelSelector=color%3Dred&resourceVersion=${revision}`,
      );
      const received: string[] = [];
      while (received.length < expected.length) received.push(eventLine(await watch.next()));
      watch.close();
      return received;
    };
    for (const received of await Promise.all(Array.from({ length: 9 }, receive))) assert.deepEqual(received, expected);
  });

  test('A watch from an old version ends when its client disconnects.', async () => {
    const watching = async () =>
      Number(
        /^apiserver_longrunning_requests\{verb="WATCH",scope="cluster",.*resource="configmaps".*\} (\d+)/m.exec(
          (await client.get('/metrics')).text,
        )?.[1],
      );
    const watch = await client.watch(`${ALL_NAMESPACES}?watch=1&resourceVersion=${moments[0]}`);
    await watch.next();
    watch.close();
    await until('all watches to end', async () => (await watching()) === 0);
  });
});

describe('States outside of the store window', () => {
  let system: RunningSystem;
  let client: Client;
  let old: number;
  let token: string;
  let paged: string;
  let floor: number;

  before(async () => {
    const env = { TIDEGATE_MIRROR_WINDOW_MEMORY_MIB: '0.016', TIDEGATE_WINDOW_SECONDS: '3' };
    system = await runningSystem({ args: ['--no-nats'], env });
    ({ client } = system);
    const history = new History(client);
    await history.makeNamespaces();
    await history.makeChanges(20);
    const page = (await client.get(`${ALL_NAMESPACES}?limit=3`)).json;
    // the version of the page is kept for the next page
    old = history.steps[10]?.revision ?? 0;
    paged = page.metadata.resourceVersion;
    token = page.metadata.continue;
    await until(
      'the log to be truncated',
      async () => {
        await history.change('alpha', 'x10', history.steps.length % 2 === 0 ? 'red' : 'blue');
        const reply = await client.get(`${path('beta')}?resourceVersion=${old}&resourceVersionMatch=Exact`);
        return reply.code === 410;
      },
      60_000,
    );
    floor = history.last;
  });
  after(() => system.stop());

  test('An exact list at an expired version fails with 410 and the message of kube-apiserver.', async () => {
    for (const query of ['&resourceVersionMatch=Exact', '&limit=5', '&limit=5&resourceVersionMatch=Exact']) {
      const { code, json } = await client.get(`${path('beta')}?resourceVersion=${old}${query}`);
      assert.equal(code, 410);
      assert.equal(json.reason, 'Expired');
      assert.equal(json.message, 'The resourceVersion for the provided list is too old.');
    }
  });

  test('A deletion of a collection at an expired version fails with 410 and deletes nothing.', async () => {
    const { code, json } = await client.request(
      'DELETE',
      `${path('beta')}?resourceVersion=${old}&resourceVersionMatch=Exact`,
    );
    assert.deepEqual([code, json.reason], [410, 'Expired']);
    assert.ok((await client.get(path('beta'))).json.items.length > 0);
  });

  test('A list not older than an expired version returns a newer state.', async () => {
    for (const query of ['', '&resourceVersionMatch=NotOlderThan', '&resourceVersionMatch=NotOlderThan&limit=2']) {
      const { code, json } = await client.get(`${path('beta')}?resourceVersion=${old}${query}`);
      assert.equal(code, 200);
      assert.ok(Number(json.metadata.resourceVersion) >= floor);
    }
  });

  test('An expired continue token answers 410 with a new token for the rest of the newest state.', async () => {
    const start = Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: old, start: 'alpha/zz\0' })).toString(
      'base64url',
    );
    const { code, json } = await client.get(`${ALL_NAMESPACES}?limit=500&continue=${start}`);
    assert.equal(code, 410);
    assert.equal(json.reason, 'Expired');
    assert.match(
      json.message,
      /^The provided continue parameter is too old to display a consistent list result\. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results\. Continuing with the provided token results in an inconsistent list - /,
    );
    assert.equal(JSON.parse(Buffer.from(json.metadata.continue, 'base64url').toString()).rv, -1);
    const rest = await client.get(`${ALL_NAMESPACES}?limit=500&continue=${json.metadata.continue}`);
    assert.equal(rest.code, 200, rest.text);
    const now = (await client.get(ALL_NAMESPACES)).json.items as Array<{ metadata: { namespace: string } }>;
    assert.deepEqual(
      rest.json.items,
      now.filter(({ metadata }) => metadata.namespace > 'alpha'),
    );
    assert.equal(rest.json.metadata.continue, '');
  });

  test('A paged list stays readable while the mirror keeps its snapshot.', async () => {
    const { code, json } = await client.get(`${ALL_NAMESPACES}?limit=3&continue=${token}`);
    assert.equal(code, 200);
    assert.equal(json.metadata.resourceVersion, paged);
  });

  test('A watch at an expired version fails with 410 before its stream starts and names the oldest version.', async () => {
    for (const query of ['', '&labelSelector=color%3Dred']) {
      const { code, json } = await client.get(`${ALL_NAMESPACES}?watch=1&resourceVersion=${old}${query}`);
      assert.equal(code, 410);
      assert.equal(json.reason, 'Expired');
      assert.match(json.message, new RegExp(`^too old resource version: ${old} \\(\\d+\\)$`));
    }
  });

  test('A get not older than an expired version is answered.', async () => {
    assert.equal((await client.get(`${path('alpha')}/x10?resourceVersion=${old}`)).code, 200);
  });
});
