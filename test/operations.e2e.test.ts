import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type TestTidegate, until } from '@tidegate/testkit';
import { type Client, configMap, MAPS } from './support/client.ts';
import { sharedSystem } from './support/shared-system.ts';

/** A gateway probes its store every second; this is three times two probes, for slow machines. */
const SOON_MS = 6000;
/** After this time running requests are aborted. */
const MAX_DRAIN_MS = 10_000;

describe('Operation of a running system', () => {
  let tidegate: TestTidegate;
  let client: Client;
  before(async () => {
    ({ tidegate, client } = await sharedSystem());
  });
  after(async () => {
    client.close();
    await tidegate.stop();
  });

  const text = async (part: string, path: string) =>
    (await fetch(`http://${tidegate.part(part).opsAddress}${path}`)).text();

  for (const [part, metric] of [
    ['gateway', 'apiserver_request_duration_seconds'],
    ['store', 'tidegate_store_commit_batch_size'],
    ['watch', 'tidegate_watch_revision'],
    ['health', 'tidegate_health_check'],
  ] as const) {
    test(`The ${part} service has metrics and probes.`, async () => {
      assert.match(await text(part, '/metrics'), new RegExp(`^# TYPE ${metric} `, 'm'));
      assert.equal(await text(part, '/livez'), 'ok');
      assert.equal(await text(part, '/readyz'), 'ok');
    });
  }

  test('A gateway stops within seconds: a watch gets a last bookmark, and its client resumes at the next gateway.', async () => {
    const from = (await client.get(MAPS)).json.metadata.resourceVersion;
    const watch = await client.watch(`${MAPS}?watch=1&allowWatchBookmarks=true&resourceVersion=${from}`);
    await client.request('POST', MAPS, { body: configMap('seen') });
    const seen = (await watch.next()).object.metadata.resourceVersion;
    const pid = tidegate.pid('gateway');
    const begun = performance.now();
    process.kill(pid, 'SIGTERM');
    const rest = await watch.rest();
    assert.deepEqual(
      rest.map(({ type }) => type),
      ['BOOKMARK'],
    );
    const bookmark = rest[0]?.object.metadata.resourceVersion;
    assert.ok(Number(bookmark) >= Number(seen));
    await tidegate.restarted('gateway', pid);
    assert.ok(performance.now() - begun < MAX_DRAIN_MS, 'it was not killed');
    await until('the next gateway', async () => (await client.get('/readyz').catch(() => undefined))?.code === 200);
    const next = await client.watch(`${MAPS}?watch=1&resourceVersion=${bookmark}`);
    await client.request('POST', MAPS, { body: configMap('next') });
    assert.equal((await next.next()).object.metadata.name, 'next');
    next.close();
    await client.request('DELETE', MAPS);
  });

  test('The board shows every part and its checks, and no probe depends on it.', async () => {
    const board = /board +(http:\S+)/.exec(tidegate.output)?.[1] as string;
    const report = async () =>
      (await fetch(`${board}/report.json`)).json() as Promise<{
        state: string;
        parts: Array<{ part: string; state: string }>;
      }>;
    await until('all parts to be ok', async () => (await report()).state === 'ok');
    assert.deepEqual((await report()).parts.map(({ part }) => part).sort(), ['gateway', 'store', 'watch']);
    assert.match(await (await fetch(board)).text(), /<th scope="row">Gateways<\/th>/);
    const paths = ['livez', 'readyz', 'healthz'].map((endpoint) => `/${endpoint}?verbose`);
    const checkTexts = () =>
      Promise.all([
        ...paths.map(async (path) => (await client.get(path)).text),
        ...['gateway', 'store', 'watch'].flatMap((part) => paths.map((path) => text(part, path))),
      ]);
    const before = await checkTexts();
    assert.ok(before.every((words) => words.endsWith('healthz check passed\n')));
    const pid = tidegate.pid('health');
    process.kill(pid, 'SIGSTOP');
    assert.deepEqual(await checkTexts(), before);
    process.kill(pid, 'SIGKILL');
    assert.deepEqual(await checkTexts(), before);
    await tidegate.restarted('health', pid);
  });

  test('The lag of changes is exported and shown on the board.', async () => {
    const board = /board +(http:\S+)/.exec(tidegate.output)?.[1] as string;
    const count = async () =>
      Number(/^tidegate_gateway_lag_seconds_count (\d+)/m.exec(await text('gateway', '/metrics'))?.[1]);
    const before = await count();
    await until('the lag to be measured', async () => {
      // changes that are read from the log have no commit time
      await client.request('POST', MAPS, { body: { metadata: { generateName: 'late-' } } });
      return (await count()) > before;
    });
    type Report = { parts: Array<{ part: string; load: { hasLag: boolean; lagMs: number } | null }> };
    const lags = await until('the board to show the lag', async () => {
      // parts report the last two seconds, at different times; the board may still be restarting
      await client.request('POST', MAPS, { body: { metadata: { generateName: 'late-' } } });
      const reply = await fetch(`${board}/report.json`).catch(() => undefined);
      if (reply === undefined) return undefined;
      const { parts } = (await reply.json()) as Report;
      const reporting = parts.filter(({ part, load }) => part !== 'store' && load?.hasLag);
      return reporting.length === 2 ? reporting.map(({ load }) => load?.lagMs ?? 0) : undefined;
    });
    assert.ok(
      lags.every((ms) => ms >= 0 && ms < 60_000),
      `${lags}`,
    );
    await client.request('DELETE', MAPS);
  });

  test('A gateway becomes unready within seconds when the store hangs, serves cached reads, and recovers.', async () => {
    await client.request('POST', MAPS, { body: configMap('known') });
    assert.equal((await client.get(MAPS)).code, 200);
    const store = tidegate.pid('store');
    process.kill(store, 'SIGSTOP');
    try {
      const stopped = Date.now();
      await until('readyz to fail', async () => (await client.get('/readyz')).code === 500);
      const ms = Date.now() - stopped;
      assert.ok(ms < SOON_MS, `${ms} ms`);
      assert.equal((await client.get('/livez')).code, 200);
      assert.equal((await client.get(`${MAPS}?resourceVersion=0`)).json.items.length, 1);
      assert.equal((await client.get(`${MAPS}/known`)).code, 503);
    } finally {
      process.kill(store, 'SIGCONT');
    }
    await until('readyz to pass', async () => (await client.get('/readyz')).code === 200);
    assert.equal((await client.get(`${MAPS}/known`)).code, 200);
  });
});
