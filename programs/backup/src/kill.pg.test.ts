import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { freshDatabase, keyOf, openPool, openStorage, write } from '@tidegate/store/testing';
import { startPostgres, type TestPostgres, temporaryDir, until } from '@tidegate/testkit';
import { fillWithLarge, runBackupProgram as run } from './testing/backup-program.ts';

const STATE = `SELECT (SELECT string_agg(name || revision, ' ') FROM tidegate.objects),
  (SELECT count(*)::integer FROM tidegate.log), to_jsonb(h) FROM tidegate.head h`;
const place = temporaryDir('backup');
const file = join(place.path, 'large');
let postgres: TestPostgres;
let source: string;

before(async () => {
  postgres = await startPostgres();
  source = await freshDatabase(postgres);
  await fillWithLarge(source, 60);
});

after(async () => {
  await postgres.stop();
  place.remove();
});

async function stateOf(url: string): Promise<unknown> {
  const pool = openPool(url);
  try {
    return [...(await pool.query(STATE))];
  } finally {
    await pool.close();
  }
}

test('A killed backup leaves no file under its name; only the owner can read a complete one.', async () => {
  const killed = run(source, 'backup', `--out=${file}`);
  await until(
    'the backup to be under way',
    () => existsSync(`${file}.partial`) && statSync(`${file}.partial`).size > 0,
  );
  killed.child.kill('SIGKILL');
  await killed.code;
  assert.equal(existsSync(file), false);

  const whole = run(source, 'backup', `--out=${file}`);
  assert.equal(await whole.code, 0, whole.output());
  assert.match(whole.output(), /^backed up 60 objects \(60\.0 MiB\) at revision 61 to /);
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('A killed restore leaves the old state.', async () => {
  const target = await freshDatabase(postgres);
  const storage = await openStorage(target);
  for (const name of ['one', 'two']) await storage.commits.submit([write('create', keyOf(name))]);
  const before = await stateOf(target);
  const pool = openPool(target);
  try {
    const restoring = run(target, 'restore', `--file=${file}`, '--replace');
    await until('the restore to write', async () => {
      const rows = await pool.query('SELECT 1 FROM pg_stat_progress_copy WHERE bytes_processed > 20000000');
      return rows.length > 0;
    });
    restoring.child.kill('SIGKILL');
    await restoring.code;
    await until('PostgreSQL to notice', async () => {
      const rows = await pool.query("SELECT 1 FROM pg_stat_activity WHERE application_name = 'tidegate-backup'");
      return rows.length === 0;
    });
  } finally {
    await pool.close();
  }
  assert.deepEqual(await stateOf(target), before);
  const [outcome] = await storage.commits.submit([write('create', keyOf('three'))]);
  assert.equal(outcome?.revision, 4);
  await storage.close();
});
