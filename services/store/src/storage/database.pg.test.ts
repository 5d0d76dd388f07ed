import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { migrate, migrationFiles } from '@tidegate/database';
import { startPostgres, type TestPostgres } from '@tidegate/testkit';
import { freshDatabase, keyOf, openPool, openStorage, write } from '../testing/fixture.ts';
import { Database } from './database.ts';

let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});

after(() => postgres.stop());

async function open(url: string, allowDataLoss: boolean): Promise<void> {
  const database = new Database({ postgresUrl: url, postgresDirectUrl: '', postgresPrepare: true });
  try {
    await database.open({ allowDataLoss });
  } finally {
    await database.close();
  }
}

test('A server with fsync off is rejected, and the error names the option.', async () => {
  await assert.rejects(open(postgres.url, false), /fsync off.*--allow-data-loss/);
});

test('A database with synchronous_commit off is rejected.', async () => {
  const url = await freshDatabase(postgres);
  const pool = openPool(url);
  await pool.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`);
  await pool.close();
  await assert.rejects(open(url, false), /fsync and synchronous_commit off/);
});

test('Four replicas that start at once on an empty database all start, and migrate it once.', async () => {
  const url = await freshDatabase(postgres);
  await Promise.all([1, 2, 3, 4].map(() => open(url, true)));
  const pool = openPool(url);
  const rows = await pool.query('SELECT number, name FROM tidegate.migrations');
  await pool.close();
  assert.deepEqual(
    rows.map(([number, name]) => [number, name]),
    migrationFiles().map(({ name }, i) => [i + 1, name]),
  );
});

test('A schema that is newer than this release is rejected, and not changed.', async () => {
  const url = await freshDatabase(postgres);
  await open(url, true);
  const pool = openPool(url);
  const next = migrationFiles().length + 1;
  await pool.query(`INSERT INTO tidegate.migrations (number, name) VALUES (${next}, 'from-the-future.sql')`);
  await pool.close();
  await assert.rejects(
    open(url, true),
    new RegExp(`schema version ${next} and this release supports only ${next - 1}`),
  );
});

test('A failed migration changes nothing.', async () => {
  const url = await freshDatabase(postgres);
  const pool = openPool(url);
  const broken = [...migrationFiles(), { name: '9999-broken.sql', text: 'CREATE TABLE tidegate.x (a nonsense);' }];
  await assert.rejects(migrate(pool, broken), /nonsense/);
  assert.deepEqual((await pool.query("SELECT to_regclass('tidegate.objects')"))[0], [null]);
  await pool.close();
  await open(url, true);
});

test('A changed function is replaced at the next start.', async () => {
  const url = await freshDatabase(postgres);
  await open(url, true);
  const pool = openPool(url);
  await pool.query("UPDATE tidegate.functions SET digest = 'old'");
  await pool.query('DROP FUNCTION tidegate.namespace_is_empty(text)');
  await open(url, true);
  assert.deepEqual((await pool.query("SELECT tidegate.namespace_is_empty('any')"))[0], [true]);
  await pool.close();
});

test('A database from another PostgreSQL server opens a new epoch at the start.', async () => {
  const url = await freshDatabase(postgres);
  const first = await openStorage(url);
  await first.commits.submit([write('create', keyOf('a'))]);
  await first.close();
  const pool = openPool(url);
  await pool.query("UPDATE tidegate.head SET system_identifier = '1'");
  await pool.close();
  const second = await openStorage(url);
  const { epoch, revision } = await second.heads.read();
  await second.close();
  assert.equal(epoch, 2);
  assert.ok(revision > 1_000_000);
});
