import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startPostgres, type TestPostgres } from '@tidegate/testkit';
import type { LogBatch } from '@tidegate/wire';
import {
  collect,
  freshDatabase,
  keyOf,
  openPool,
  openStorage,
  type TestStorage,
  textOf,
  textValue,
  write,
} from '../../testing/fixture.ts';

let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});

after(() => postgres.stop());

async function withStorage(work: (storage: TestStorage, url: string) => Promise<void>): Promise<void> {
  const url = await freshDatabase(postgres);
  const storage = await openStorage(url);
  try {
    await work(storage, url);
  } finally {
    await storage.close();
  }
}

function rotate(storage: TestStorage) {
  return storage.database.streams.query("SELECT tidegate.rotate_log('0')").then(([row]) => row?.[0]);
}

function summaries(batches: readonly LogBatch[]): string[] {
  return batches.flatMap((batch) =>
    batch.changes.map(
      (c) => `${c.revision} ${['create', 'update', 'delete'][c.kind]} ${c.previousRevision} ${textOf(c.value)}`,
    ),
  );
}

function create(name: string, value = name) {
  return write('create', keyOf(name), { value: textValue(value) });
}

test('Each change has the state that it made, and a delete the state that it ended.', async () => {
  await withStorage(async ({ commits, log }) => {
    await commits.submit([create('a', '1')]);
    await commits.submit([write('update', keyOf('a'), { value: textValue('2') })]);
    await commits.submit([write('update', keyOf('a'), { value: textValue('3') })]);
    await commits.submit([write('delete', keyOf('a'))]);
    await commits.submit([create('a', '4')]);
    assert.deepEqual(summaries(await collect(log.read(1, 0))), [
      '2 create 0 1',
      '3 update 2 2',
      '4 update 3 3',
      '5 delete 4 3',
      '6 create 0 4',
    ]);
  });
});

test('A read covers its range without the lower end and with the upper end.', async () => {
  await withStorage(async ({ commits, log }) => {
    await commits.submit(['a', 'b', 'c', 'd'].map((name) => create(name)));
    const batches = await collect(log.read(2, 4));
    assert.deepEqual(summaries(batches), ['3 create 0 b', '4 create 0 c']);
    assert.deepEqual([batches[0]?.first, batches.at(-1)?.last], [3, 4]);
  });
});

test('A read of one resource returns only its changes, and through which revision they are complete.', async () => {
  await withStorage(async ({ commits, log }) => {
    const other = (name: string, value = name) =>
      write('create', keyOf(name, 'team', 'secrets'), { value: textValue(value) });
    await commits.submit([create('a', '1'), other('s', 'x'.repeat(600_000)), other('t', 'y'.repeat(600_000))]);
    await commits.submit([write('update', keyOf('a'), { value: textValue('2') })]);
    await commits.submit([other('u')]);
    const batches = await collect(log.read(1, 0, 'configmaps'));
    assert.deepEqual(summaries(batches), ['2 create 0 1', '5 update 2 2']);
    assert.deepEqual(
      batches.map(({ first, last }) => [first, last]),
      [[2, 6]],
    );
    assert.deepEqual(summaries(await collect(log.read(2, 4, 'configmaps'))), []);
    const cut = await collect(log.read(1, 0, 'secrets'));
    assert.deepEqual(
      cut.map(({ first, last }) => [first, last]),
      [
        [2, 4],
        [5, 6],
      ],
    );
    assert.deepEqual(
      cut.flatMap(({ changes }) => changes.map(({ key }) => key.name)),
      ['s', 't', 'u'],
    );
    await assert.rejects(collect(log.read(0, 0, 'configmaps')), { reason: 'Expired' });
  });
});

test('A read at the head returns one empty batch, which has the revision through which the log is complete.', async () => {
  await withStorage(async ({ commits, log }) => {
    await commits.submit([create('a')]);
    assert.deepEqual(await collect(log.read(2, 0)), [{ epoch: 1, first: 3, last: 2, changes: [] }]);
  });
});

test('Batches have about a megabyte, and each follows the one before.', async () => {
  await withStorage(async ({ commits, log }) => {
    for (let i = 0; i < 7; i++) await commits.submit([create(`o${i}`, 'x'.repeat(400_000))]);
    const batches = await collect(log.read(1, 0));
    assert.ok(batches.length >= 2 && batches.every((batch) => batch.changes.length <= 4));
    let at = 1;
    for (const batch of batches) {
      assert.equal(batch.first, at + 1);
      at = batch.last;
    }
    assert.equal(at, 8);
  });
});

test('The log continues over slots, and a read below the floor is Expired after the ring is full.', async () => {
  await withStorage(async (storage) => {
    const { commits, log, heads } = storage;
    const floors: number[] = [];
    for (let i = 0; i < 20; i++) {
      await commits.submit([create(`r${i}`)]);
      assert.equal(await rotate(storage), 'rotated');
      const { floor, revision } = await heads.read();
      assert.equal(summaries(await collect(log.read(floor, 0))).length, revision - floor);
      floors.push(floor);
    }
    // seven full slots and the one that is written
    assert.deepEqual(floors.slice(6, 10), [1, 2, 3, 4]);
    const { floor } = await heads.read();
    await assert.rejects(collect(log.read(floor - 1, 0)), {
      reason: 'Expired',
      message: `too old resource version: ${floor - 1} (${floor})`,
    });
  });
});

test('A change whose value is in a later slot keeps it over rotations.', async () => {
  await withStorage(async (storage) => {
    const { commits, log } = storage;
    await commits.submit([create('a', '1')]);
    await rotate(storage);
    await commits.submit([write('update', keyOf('a'), { value: textValue('2') })]);
    await rotate(storage);
    await commits.submit([write('delete', keyOf('a'))]);
    assert.deepEqual(summaries(await collect(log.read(1, 0))), ['2 create 0 1', '3 update 2 2', '4 delete 3 2']);
  });
});

test('Rotation ends when no history is left, and the head stays readable.', async () => {
  await withStorage(async (storage) => {
    await storage.commits.submit([create('a')]);
    for (let i = 0; i < 9; i++) await rotate(storage);
    assert.equal(await rotate(storage), 'empty');
    assert.deepEqual(await collect(storage.log.read(2, 0)), [{ epoch: 1, first: 3, last: 2, changes: [] }]);
  });
});

test('A slot with a reader is not truncated, and commits do not wait for the reader.', async () => {
  await withStorage(async (storage, url) => {
    await storage.commits.submit([create('a')]);
    const reader = openPool(url);
    await reader.transaction('', async (run) => {
      await run('SELECT count(*) FROM tidegate.log');
      assert.equal(await rotate(storage), 'busy');
      const [outcome] = await storage.commits.submit([create('b')]);
      assert.equal(outcome?.revision, 3);
    });
    await reader.close();
    assert.equal(await rotate(storage), 'rotated');
  });
});

for (const resource of ['', 'configmaps']) {
  const whose = resource === '' ? '' : ' of one resource';
  test(`A reader${whose} that rotations overtake gets all changes or Expired, never a part.`, () =>
    overtaken(resource));
}

/** Each revision but the first is a change of the one resource that there is. */
async function overtaken(resource: string): Promise<void> {
  await withStorage(async (storage) => {
    const { commits, log } = storage;
    let reading = true;
    const writing = (async () => {
      for (let i = 0; reading; i++) {
        await commits.submit(Array.from({ length: 40 }, (_, j) => create(`w${i}-${j}`)));
        await rotate(storage);
      }
    })();
    let expired = 0;
    let whole = 0;
    for (let round = 0; round < 400 && (expired < 3 || whole < 3); round++) {
      const { floor, revision } = await storage.heads.read();
      let at = floor;
      try {
        for await (const batch of log.read(floor, revision, resource)) {
          assert.equal(batch.first, at + 1);
          assert.equal(batch.changes.length, batch.last - at);
          at = batch.last;
        }
        assert.equal(at, revision);
        whole++;
      } catch (error) {
        assert.equal((error as { reason?: string }).reason, 'Expired');
        expired++;
      }
    }
    reading = false;
    await writing;
    assert.ok(whole > 0);
  });
}

test('A new epoch begins far above, its first batch covers the hole, and revisions in the hole are Expired.', async () => {
  await withStorage(async (storage, url) => {
    const { commits, log } = storage;
    await commits.submit([create('a')]);
    const pool = openPool(url);
    // as if the server had been promoted meanwhile
    await pool.query("UPDATE tidegate.head SET timeline = '000000FF'");
    await pool.close();
    const [outcome] = await commits.submit([create('b')]);
    assert.ok(outcome!.revision > 1_000_000);
    const batches = await collect(log.read(1, 0));
    assert.deepEqual(
      batches.map(({ epoch, first, last }) => [epoch, first, last]),
      [
        [1, 2, 2],
        [2, 3, outcome!.revision],
      ],
    );
    await assert.rejects(collect(log.read(5, 0)), { reason: 'Expired' });
    assert.equal((await storage.heads.read()).epoch, 2);
  });
});
