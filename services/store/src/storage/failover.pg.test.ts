import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { caughtUp, demote, promote, startPostgres, startStandby, type TestPostgres } from '@tidegate/testkit';
import { outcomeKind } from '@tidegate/wire';
import { keyOf, openStorage, type TestStorage, write } from '../testing/fixture.ts';

/** Sooner than a gateway gives up, on a slow machine too. */
const SOON_MS = 12_000;

let primary: TestPostgres;
let standby: TestPostgres;
let third: TestPostgres | undefined;
let seed: TestStorage;

before(async () => {
  primary = await startPostgres();
  seed = await openStorage(primary.url);
  await seed.commits.submit([write('create', keyOf('seed'))]);
  standby = await startStandby(primary);
  await caughtUp(standby, primary);
});

after(async () => {
  await seed?.close();
  await third?.stop();
  await standby?.stop();
  await primary?.stop();
});

function both(first: TestPostgres, second: TestPostgres): string {
  return first.url.replace(`:${first.port}/`, `:${first.port},127.0.0.1:${second.port}/`);
}

async function created(storage: TestStorage, name: string): Promise<number> {
  const [outcome] = await storage.commits.submit([write('create', keyOf(name))]);
  assert.equal(outcome?.kind, outcomeKind.committed, String(outcome?.message));
  return outcome!.revision;
}

describe('A store that knows a primary and its standby', () => {
  test('does not use a standby as the primary, even if its URL names the standby first', async () => {
    const storage = await openStorage(both(standby, primary));
    const revision = await created(storage, 'first');
    for (let i = 0; i < 8; i++) assert.equal((await storage.heads.read()).revision, revision);
    await storage.close();
  });

  let waiting: Promise<TestStorage>;
  let revision: number;

  test('waits while there is only a standby', async () => {
    revision = await created(seed, 'last');
    await caughtUp(standby, primary);
    waiting = openStorage(standby.url);
    const storage = await openStorage(both(primary, standby));
    await primary.kill();
    const begun = performance.now();
    const [outcome] = await storage.commits.submit([write('create', keyOf('nowhere'))]);
    assert.equal(outcome?.kind, outcomeKind.unavailable, outcome?.message ?? '');
    assert.match(outcome?.message ?? '', /is a standby/);
    await assert.rejects(storage.heads.read(), { code: 503 });
    assert.ok(performance.now() - begun < SOON_MS);
    await storage.close();
  });

  test('starts when the standby is promoted, and opens a new epoch', async () => {
    await promote(standby);
    const storage = await waiting;
    assert.equal((await storage.heads.read()).epoch, 2);
    assert.ok((await created(storage, 'promoted')) > revision + 1_000_000);
    assert.deepEqual(
      (await storage.reads.read([keyOf('last'), keyOf('nowhere')])).map((read) => read.found),
      [true, false],
    );
    await storage.close();
  });

  test('does not use the former primary when that returns as a standby', async () => {
    await demote(primary, standby);
    const storage = await openStorage(both(primary, standby));
    const last = await created(storage, 'after');
    assert.equal((await storage.heads.read()).revision, last);
    await storage.close();
  });

  test('follows the next failover, too, without a restart', async () => {
    third = await startStandby(standby);
    const storage = await openStorage(both(standby, third));
    const before = await created(storage, 'before-second');
    await caughtUp(third, standby);
    await standby.kill();
    await promote(third);
    assert.ok((await created(storage, 'after-second')) > before + 1_000_000);
    assert.equal((await storage.heads.read()).epoch, 3);
    await storage.close();
  });
});
