import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { metricAt } from '@tidegate/testkit';
import { type Client, configMap, MAPS, type Watch } from './client.ts';
import type { RunningSystem } from './running-system.ts';

interface ResumeSuite {
  /** how long the watcher is disconnected, while others write as fast as they can */
  readonly awaySeconds: number;
  readonly open: () => Promise<RunningSystem>;
  /** whether the missed changes are still in memory or are read from the store's log */
  readonly from: 'window' | 'log';
}

const WRITERS = 16;
const OBJECTS = 50;
/** The minimum number of writes in each phase; a third of the objects match the selector. */
const MIN_WRITES = 300;
const SELECTOR = 'labelSelector=colour%3Dred';

/** A watcher that reconnects receives the same events as a watcher that was connected all the time. */
export function resumeSuite({ awaySeconds, open, from }: ResumeSuite): void {
  describe(`Resuming after ${awaySeconds} s of heavy writes`, () => {
    let system: RunningSystem;
    before(async () => {
      system = await open();
    });
    after(() => system?.stop());

    test(`A watcher that was disconnected for ${awaySeconds} s receives all missed events from the ${from}.`, async (t) => {
      const { client, tidegate } = system;
      const { json } = await client.get(MAPS);
      const begin = Number(json.metadata.resourceVersion);
      const queries = [MAPS, `${MAPS}?${SELECTOR}`].map((path) => follow(path, begin));
      const present = queries.map(async (query) => versionsUntilEnd(await client.watch(query)));
      const rounds = Array.from({ length: WRITERS }, () => 0);
      const disconnectedAt = performance.now();
      let written = await writeFor(client, awaySeconds * 1000, rounds);
      /** whether the window no longer has the first seconds */
      const hasDropped = async (first: number) => {
        const seconds = (performance.now() - disconnectedAt) / 1000;
        const reach = await metricAt(tidegate.part('gateway').opsAddress as string, 'tidegate_gateway_window_seconds');
        t.diagnostic(`${written} writes in ${seconds} s; the window reaches back ${reach} s`);
        return reach < (from === 'log' ? seconds - first : awaySeconds);
      };
      // on a slow machine, more writes are needed to fill the window
      while (from === 'log' && !(await hasDropped(0.5))) written += await writeFor(client, 500, rounds);
      const last = Number(
        (await client.request('POST', MAPS, { body: object('end', 0) })).json.metadata.resourceVersion,
      );
      assert.equal(await hasDropped(0), from === 'log');
      const away = queries.map(async (query) => versionsUntilEnd(await client.watch(query)));
      const [all, selected, allLater, selectedLater] = await Promise.all([...present, ...away]);
      assert.equal(all?.at(-1), `ADDED end ${last}`);
      assert.equal(all?.length, written + 1);
      assert.deepEqual(allLater, all);
      assert.deepEqual(selectedLater, selected);
      assert.ok(selected!.length > OBJECTS && selected!.length < all.length);
    });
  });
}

function follow(path: string, version: number): string {
  return `${path}${path.includes('?') ? '&' : '?'}watch=1&resourceVersion=${version}`;
}

function object(name: string, round: number) {
  const labels = { colour: name === 'end' || round % 3 === 0 ? 'red' : 'blue' };
  return configMap(name, { text: 'x'.repeat(1000), round: String(round) }, { labels });
}

/**
 * Returns the number of writes, each of which is an event: each writer continues with its last round, so that every
 * write changes its object.
 */
async function writeFor(client: Client, ms: number, rounds: number[]): Promise<number> {
  const end = performance.now() + ms;
  let written = 0;
  const writer = async (i: number) => {
    while (performance.now() < end || written < MIN_WRITES) {
      const round = rounds[i] as number;
      rounds[i] = round + 1;
      const name = `w${i}-${round % OBJECTS}`;
      const [method, path] = round < OBJECTS ? ['POST', MAPS] : ['PUT', `${MAPS}/${name}`];
      const { code, text } = await client.request(method, path, { body: object(name, round) });
      assert.ok(code === 200 || code === 201, text);
      written++;
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, i) => writer(i)));
  return written;
}

async function versionsUntilEnd(watch: Watch): Promise<string[]> {
  assert.equal(watch.code, 200);
  const events: string[] = [];
  for (;;) {
    const { type, object } = await watch.next();
    assert.notEqual(type, 'ERROR', JSON.stringify(object));
    events.push(`${type} ${object.metadata.name} ${object.metadata.resourceVersion}`);
    if (object.metadata.name === 'end') break;
  }
  watch.close();
  return events;
}
