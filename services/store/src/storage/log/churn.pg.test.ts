import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { startPostgres } from '@tidegate/testkit';
import { freshDatabase, keyOf, openStorage, type TestStorage, write } from '../../testing/fixture.ts';
import { rotateLog, tableSizes } from './head.ts';

const OBJECTS = 200;
const SLOTS = 8;

function value(): Buffer {
  return Buffer.from(`{"data":"${randomBytes(500).toString('hex')}"}`);
}

/** What a sixth of a window brings: every object is updated some times, a few come and go. */
async function churn(storage: TestStorage, round: number): Promise<void> {
  for (let turn = 0; turn < 3; turn++) {
    const updates = Array.from({ length: OBJECTS }, (_, i) => write('update', keyOf(`o${i}`), { value: value() }));
    const comes = Array.from({ length: 20 }, (_, i) =>
      write('create', keyOf(`r${round}-${turn}-${i}`), { value: value() }),
    );
    await storage.commits.submit([...updates, ...comes]);
    await storage.commits.submit(comes.map((one) => write('delete', one.key)));
  }
}

test('The tables of the log and the objects do not grow with steady churn.', async () => {
  const postgres = await startPostgres({ settings: { autovacuum: 'off' } });
  const storage = await openStorage(await freshDatabase(postgres));
  const sizes: Array<Record<string, number>> = [];
  try {
    await storage.commits.submit(Array.from({ length: OBJECTS }, (_, i) => write('create', keyOf(`o${i}`))));
    for (let round = 0; round < 6 * SLOTS; round++) {
      await churn(storage, round);
      assert.equal(await rotateLog(storage.database.streams, 0), 'rotated');
      // what autovacuum does, at moments that do not depend on the machine
      if (round % 4 === 3) await storage.database.streams.query('VACUUM tidegate.objects');
      sizes.push(Object.fromEntries(await tableSizes(storage.database.streams)));
    }
  } finally {
    await storage.close();
    await postgres.stop();
  }
  for (const table of ['log', 'objects']) {
    const of = sizes.map((size) => size[table] as number);
    const early = Math.max(...of.slice(SLOTS, 2 * SLOTS));
    const late = Math.max(...of.slice(-SLOTS));
    assert.ok(late <= early * 1.25, `${table}: ${early} bytes after two turns of the ring, ${late} after six`);
  }
});
