import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { peerCertificates, startPostgres, type TestCertificates, type TestPostgres, until } from '@tidegate/testkit';
import { outcomeKind, type Write, type WriteOutcome } from '@tidegate/wire';
import { freshDatabase, keyOf, openPool, write } from '../testing/fixture.ts';
import { type SpawnedStore, spawnStore } from '../testing/spawned-store.ts';

let postgres: TestPostgres;
let certificates: TestCertificates;
let stopped: SpawnedStore;
let other: SpawnedStore;
let url: string;

before(async () => {
  [postgres, certificates] = await Promise.all([startPostgres(), peerCertificates()]);
  url = await freshDatabase(postgres);
  stopped = await spawnStore(certificates, url);
  other = await spawnStore(certificates, url);
});

after(async () => {
  await stopped?.end();
  await other?.end();
  await postgres?.stop();
  certificates?.remove();
});

const ROUNDS = 12;
const CLIENTS = 16;

/** Creates objects one after another, and records the requests and their answers. */
async function load(
  store: SpawnedStore,
  name: string,
  log: Map<Write, WriteOutcome | undefined>,
  going: () => boolean,
) {
  for (let i = 0; going(); i++) {
    const one = write('create', keyOf(`${name}-${i}`), { value: Buffer.from(`{"x":"${'y'.repeat(2000)}"}`) });
    log.set(one, undefined);
    const { writes } = await store.ask({ writes: [one] });
    log.set(one, writes[0]);
  }
}

test('A store that is stopped during commits does not block other stores, and its open writes are executed exactly once.', async () => {
  const pool = openPool(url);
  for (let round = 0; round < ROUNDS; round++) {
    const requested = new Map<Write, WriteOutcome | undefined>();
    let going = true;
    const clients = Array.from({ length: CLIENTS }, (_, i) => load(stopped, `r${round}c${i}`, requested, () => going));
    await until('commits to be in flight', () => [...requested.values()].filter(Boolean).length > 20 * (round + 1));
    process.kill(stopped.pid, 'SIGSTOP');
    going = false;
    const open = [...requested].filter(([, outcome]) => outcome === undefined).map(([one]) => one);
    const begun = performance.now();
    const { writes: repeated } = await other.ask({ writes: open });
    assert.ok(performance.now() - begun < 20_000, 'the other store goes on');
    process.kill(stopped.pid, 'SIGCONT');
    await Promise.all(clients);
    for (const [i, one] of open.entries()) {
      assert.equal(repeated[i]?.kind, outcomeKind.committed);
      assert.deepEqual(requested.get(one)?.revision, repeated[i]?.revision, 'both stores report the same outcome');
    }
  }
  const [gaps] = await pool.query(
    `SELECT count(*)::int, count(DISTINCT revision)::int, count(DISTINCT operation_id)::int,
      (max(revision) - min(revision) + 1)::int FROM tidegate.log`,
  );
  const [rows, revisions, operations, span] = gaps as [number, number, number, number];
  assert.deepEqual([revisions, operations, span], [rows, rows, rows], 'without gaps, each once');
  await pool.close();
});
