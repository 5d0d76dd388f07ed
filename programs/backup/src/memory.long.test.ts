import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { freshDatabase } from '@tidegate/store/testing';
import { startPostgres, type TestPostgres, temporaryDir } from '@tidegate/testkit';
import { fillWithLarge, runBackupProgram } from './testing/backup-program.ts';

const place = temporaryDir('backup');
let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});

after(async () => {
  await postgres.stop();
  place.remove();
});

test('A backup of 400 MiB and its restore take no more memory than small ones.', async () => {
  const source = await freshDatabase(postgres);
  await fillWithLarge(source, 400);
  const file = join(place.path, 'large');
  for (const args of [
    ['backup', `--out=${file}`],
    ['restore', `--file=${file}`],
  ]) {
    const url = args[0] === 'backup' ? source : await freshDatabase(postgres);
    const run = runBackupProgram(url, ...args);
    assert.equal(await run.code, 0, run.output());
    assert.ok(run.peakMib() < 300, `${args[0]}: ${run.peakMib()} MiB`);
  }
});
