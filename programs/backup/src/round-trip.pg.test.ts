import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { collect, freshDatabase, keyOf, listAt, openPool, openStorage, write } from '@tidegate/store/testing';
import { startPostgres, type TestPostgres, temporaryDir } from '@tidegate/testkit';
import { outcomeKind } from '@tidegate/wire';
import { backup } from './backup.ts';
import { BackupError } from './file/backup-error.ts';
import { restore } from './restore.ts';

const ROWS = 'SELECT to_jsonb(o) FROM tidegate.objects o ORDER BY resource, namespace, name';
const HEAD = 'SELECT revision, floor, epoch FROM tidegate.head';
const place = temporaryDir('backup');
let postgres: TestPostgres;
let files = 0;

before(async () => {
  postgres = await startPostgres();
});

after(async () => {
  await postgres.stop();
  place.remove();
});

async function query(url: string, text: string): Promise<unknown[][]> {
  const pool = openPool(url);
  try {
    return [...(await pool.query(text))] as unknown[][];
  } finally {
    await pool.close();
  }
}

/** A database in which some objects were made, changed and deleted. */
async function usedDatabase(): Promise<string> {
  const url = await freshDatabase(postgres);
  const storage = await openStorage(url);
  for (let i = 0; i < 40; i++) await storage.commits.submit([write('create', keyOf(`object-${i}`))]);
  await storage.commits.submit([write('update', keyOf('object-3'), { value: randomBytes(400_000) })]);
  await storage.commits.submit([write('delete', keyOf('object-4'))]);
  await storage.commits.submit([write('create', keyOf('ünïcode "quoted"\\', '', 'widgets.example.com'))]);
  await storage.close();
  return url;
}

async function backUp(
  url: string,
  onRows?: () => void,
): Promise<{ file: string } & Awaited<ReturnType<typeof backup>>> {
  const file = join(place.path, `backup-${++files}`);
  const target = createWriteStream(file);
  return { file, ...(await backup({ url, version: '0.0.0', target, ...(onRows === undefined ? {} : { onRows }) })) };
}

test('A restored database has the same rows, byte for byte, and a head above all earlier revisions.', async () => {
  const url = await usedDatabase();
  const { file, header, trailer } = await backUp(url);
  assert.equal(header.revision, 44);
  assert.deepEqual(trailer.resources, { configmaps: 39, 'widgets.example.com': 1 });
  const target = await freshDatabase(postgres);
  const { revision } = await restore({ url: target, file, replace: false });
  assert.deepEqual(await query(target, ROWS), await query(url, ROWS));
  assert.ok(revision > header.revision);
  assert.deepEqual(await query(target, HEAD), [[revision, revision, header.epoch + 1]]);
});

test('A backup is piped from one database to another, without a file.', async () => {
  const [source, target] = [await usedDatabase(), await freshDatabase(postgres)];
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  let said = '';
  const run = (url: string, ...args: string[]) => {
    const env = { ...process.env, TIDEGATE_POSTGRES_URL: url };
    const child = spawn(process.execPath, [main, ...args], { stdio: ['pipe', 'pipe', 'pipe'], env });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
    return child;
  };
  const saving = run(source, 'backup', '--out=-');
  const restoring = run(target, 'restore', '--file=-');
  saving.stdout.pipe(restoring.stdin);
  const codes = await Promise.all([saving, restoring].map((child) => once(child, 'close')));
  assert.deepEqual(
    codes.map(([code]) => code),
    [0, 0],
    said,
  );
  assert.deepEqual(await query(target, ROWS), await query(source, ROWS));
});

test('A restored database accepts commits, and its log and its lists begin at its head.', async () => {
  const { file } = await backUp(await usedDatabase());
  const target = await freshDatabase(postgres);
  const { revision } = await restore({ url: target, file, replace: false });
  const storage = await openStorage(target);
  try {
    const [outcome] = await storage.commits.submit([write('update', keyOf('object-5'), { expectedRevision: 7 })]);
    assert.deepEqual([outcome?.kind, outcome?.revision], [outcomeKind.committed, revision + 1]);
    const batches = await collect(storage.log.read(revision, 0));
    assert.deepEqual(
      batches.flatMap(({ changes }) => changes.map((change) => [change.revision, change.previousRevision])),
      [[revision + 1, 7]],
    );
    assert.equal((await listAt(storage, revision)).find(({ key }) => key.name === 'object-5')?.revision, 7);
    assert.equal((await listAt(storage, 0)).length, 39);
    for (const old of [1, 44, revision - 1]) {
      await assert.rejects(collect(storage.log.read(old, 0)), { code: 410 });
      await assert.rejects(listAt(storage, old), { code: 410 });
    }
  } finally {
    await storage.close();
  }
});

test('A backup has one revision, also with writes during the backup.', async () => {
  const url = await usedDatabase();
  const storage = await openStorage(url);
  const before = await query(url, ROWS);
  const writes: Array<Promise<unknown>> = [];
  const { file, header } = await backUp(url, () => {
    writes.push(storage.commits.submit([write('delete', keyOf(`object-${writes.length + 10}`))]));
  });
  await Promise.all(writes);
  await storage.close();
  assert.ok(writes.length > 0);
  assert.equal(header.revision, 44);
  const target = await freshDatabase(postgres);
  await restore({ url: target, file, replace: false });
  assert.deepEqual(await query(target, ROWS), before);
});

test('A used database is rejected, and with --replace its objects and its log are deleted.', async () => {
  const { file } = await backUp(await usedDatabase());
  const target = await freshDatabase(postgres);
  const storage = await openStorage(target);
  for (let i = 0; i < 100; i++) await storage.commits.submit([write('create', keyOf(`other-${i}`))]);
  await assert.rejects(restore({ url: target, file, replace: false }), {
    constructor: BackupError,
    message:
      'the database holds configmaps/team/other-0 and 99 more objects: add --replace to delete its contents, or restore into an empty one',
  });
  assert.deepEqual(await query(target, HEAD), [[101, 1, 1]]);
  const { revision } = await restore({ url: target, file, replace: true });
  assert.ok(revision > 101);
  assert.deepEqual(await query(target, 'SELECT count(*)::integer FROM tidegate.log'), [[0]]);
  assert.equal((await listAt(storage, 0)).length, 39);
  await assert.rejects(collect(storage.log.read(101, 0)), { code: 410 });
  const [outcome] = await storage.commits.submit([write('create', keyOf('after'))]);
  assert.equal(outcome?.revision, revision + 1);
  await storage.close();
});

test("A database with only the system's namespaces does not count as used.", async () => {
  const { file } = await backUp(await usedDatabase());
  const target = await freshDatabase(postgres);
  const storage = await openStorage(target);
  await storage.commits.submit([write('create', keyOf('kube-system', '', 'namespaces'))]);
  await storage.close();
  await restore({ url: target, file, replace: false });
});

test('A file that was changed at any place, shortened or extended is rejected, and nothing is written.', async () => {
  const { file } = await backUp(await usedDatabase());
  const whole = readFileSync(file);
  const target = await usedDatabase();
  const before = [await query(target, ROWS), await query(target, HEAD)];
  const damaged = [
    ...[0.001, 0.1, 0.5, 0.9, 0.999].map((share) => {
      const bytes = Buffer.from(whole);
      const at = Math.floor(whole.length * share);
      bytes[at] = (bytes[at] as number) ^ 0x41;
      return bytes;
    }),
    ...[0, 10, 0.5 * whole.length, whole.length - 1].map((length) => whole.subarray(0, length)),
    Buffer.concat([whole, Buffer.from('more')]),
    Buffer.concat([whole, whole]),
    Buffer.from('kind: List\n'),
  ];
  for (const [i, bytes] of damaged.entries()) {
    const altered = join(place.path, `altered-${i}`);
    writeFileSync(altered, bytes);
    await assert.rejects(restore({ url: target, file: altered, replace: true }), BackupError, `case ${i}`);
  }
  assert.deepEqual([await query(target, ROWS), await query(target, HEAD)], before);
});

test('A file that changes between its two reads is rejected, and nothing is written.', async () => {
  const { file } = await backUp(await usedDatabase());
  const other = await backUp(await usedDatabase());
  const target = await usedDatabase();
  const before = [await query(target, ROWS), await query(target, HEAD)];
  const onVerified = () => writeFileSync(file, readFileSync(other.file));
  await assert.rejects(restore({ url: target, file, replace: true, onVerified }), BackupError);
  assert.deepEqual([await query(target, ROWS), await query(target, HEAD)], before);
});

test('An object that fails its checksum is reported, and copied unchanged.', async () => {
  const url = await usedDatabase();
  await query(url, "UPDATE tidegate.objects SET value = 'broken' WHERE name = 'object-7'");
  const { file, trailer } = await backUp(url);
  assert.deepEqual([trailer.corruptCount, trailer.corrupt], [1, ['configmaps/team/object-7']]);
  const target = await freshDatabase(postgres);
  await restore({ url: target, file, replace: false });
  assert.deepEqual(await query(target, ROWS), await query(url, ROWS));
});

test('A column of a later release is backed up, and gets its default where the backup lacks it.', async () => {
  const url = await usedDatabase();
  const without = await backUp(url);
  await query(url, 'ALTER TABLE tidegate.objects ADD COLUMN shard smallint');
  await query(url, "UPDATE tidegate.objects SET shard = 7 WHERE name = 'object-7'");
  const { file } = await backUp(url);
  const target = await freshDatabase(postgres);
  await restore({ url: target, file: without.file, replace: false });
  await assert.rejects(
    restore({ url: target, file, replace: true }),
    /column shard \(smallint\) that this database does not have/,
  );
  await query(target, 'ALTER TABLE tidegate.objects ADD COLUMN shard smallint');
  await restore({ url: target, file, replace: true });
  assert.deepEqual(await query(target, ROWS), await query(url, ROWS));
  await restore({ url: target, file: without.file, replace: true });
  assert.deepEqual(await query(target, 'SELECT count(*)::integer FROM tidegate.objects WHERE shard IS NULL'), [[40]]);
});

test('A database without the schema of tidegate is rejected.', async () => {
  await assert.rejects(backUp(await freshDatabase(postgres)), /this database has no schema of tidegate/);
});
