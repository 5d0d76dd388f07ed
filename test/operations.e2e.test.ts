import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type TestTidegate, until } from '@tidegate/testkit';
import { type Client, configMap, MAPS } from './support/client.ts';
import { sharedSystem } from './support/shared-system.ts';

/** One second is between two looks of a gateway at its store; a slow machine is given three times what two of them take. */
const SOON_MS = 6000;
/** After so long what is under way is cut off. */
const LONGEST_DRAIN_MS = 10_000;

describe('The running system', () => {
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
    test(`has metrics and probes on ${part}`, async () => {
      assert.match(await text(part, '/metrics'), new RegExp(`^# TYPE ${metric} `, 'm'));
      assert.equal(await text(part, '/livez'), 'ok');
      assert.equal(await text(part, '/readyz'), 'ok');
    });
  }

  test('ends a gateway in order within seconds: the watch gets a last bookmark, and its client goes on elsewhere', async () => {
    const from = (await client.get(MAPS)).json.metadata.resourceVersion;
    const watch = await client.watch(`${MAPS}?watch=1&allowWatchBookmarks=true&resourceVersion=${from}`);
    await client.ask('POST', MAPS, { body: configMap('seen') });
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
    assert.ok(performance.now() - begun < LONGEST_DRAIN_MS, 'nobody had to kill it');
    await until('the next gateway', async () => (await client.get('/readyz').catch(() => undefined))?.code === 200);
    const next = await client.watch(`${MAPS}?watch=1&resourceVersion=${bookmark}`);
    await client.ask('POST', MAPS, { body: configMap('next') });
    assert.equal((await next.next()).object.metadata.name, 'next');
    next.close();
    await client.ask('DELETE', MAPS);
  });

  test('shows every part and its checks on one board, which no probe depends on', async () => {
    const board = /board +(http:\S+)/.exec(tidegate.output)?.[1] as string;
    const report = async () =>
      (await fetch(`${board}/report.json`)).json() as Promise<{
        state: string;
        parts: Array<{ part: string; state: string }>;
      }>;
    await until('all parts to be well', async () => (await report()).state === 'ok');
    assert.deepEqual((await report()).parts.map(({ part }) => part).sort(), ['gateway', 'store', 'watch']);
    assert.match(await (await fetch(board)).text(), /<th scope="row">Gateways<\/th>/);
    const paths = ['livez', 'readyz', 'healthz'].map((endpoint) => `/${endpoint}?verbose`);
    const said = () =>
      Promise.all([
        ...paths.map(async (path) => (await client.get(path)).text),
        ...['gateway', 'store', 'watch'].flatMap((part) => paths.map((path) => text(part, path))),
      ]);
    const before = await said();
    assert.ok(before.every((words) => words.endsWith('healthz check passed\n')));
    const pid = tidegate.pid('health');
    process.kill(pid, 'SIGSTOP');
    assert.deepEqual(await said(), before);
    process.kill(pid, 'SIGKILL');
    assert.deepEqual(await said(), before);
    await tidegate.restarted('health', pid);
  });

  test('tells how late changes reach its gateways', async () => {
    const board = /board +(http:\S+)/.exec(tidegate.output)?.[1] as string;
    const count = async () =>
      Number(/^tidegate_gateway_lag_seconds_count (\d+)/m.exec(await text('gateway', '/metrics'))?.[1]);
    const before = await count();
    await until('it to be measured', async () => {
      // what is read from the log, as after a break, does not say when it was committed
      await client.ask('POST', MAPS, { body: { metadata: { generateName: 'late-' } } });
      return (await count()) > before;
    });
    type Told = { parts: Array<{ part: string; load: { hasLag: boolean; lagMs: number } | null }> };
    const lags = await until('the board to show it', async () => {
      // parts tell of the last two seconds, and not of the same ones; and the board may still be starting again
      await client.ask('POST', MAPS, { body: { metadata: { generateName: 'late-' } } });
      const reply = await fetch(`${board}/report.json`).catch(() => undefined);
      if (reply === undefined) return undefined;
      const { parts } = (await reply.json()) as Told;
      const told = parts.filter(({ part, load }) => part !== 'store' && load?.hasLag);
      return told.length === 2 ? told.map(({ load }) => load?.lagMs ?? 0) : undefined;
    });
    assert.ok(
      lags.every((ms) => ms >= 0 && ms < 60_000),
      `${lags}`,
    );
    await client.ask('DELETE', MAPS);
  });

  test('turns unready within seconds when the store hangs, serves what it has, and recovers', async () => {
    await client.ask('POST', MAPS, { body: configMap('known') });
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
