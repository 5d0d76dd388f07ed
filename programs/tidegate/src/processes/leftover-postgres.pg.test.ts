import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { beginningOf } from '@tidegate/local';
import { startPostgres } from '@tidegate/testkit';
import { stopLeftoverPostgres } from './leftover-postgres.ts';

test('A PostgreSQL that outlived its launcher is stopped in order.', async () => {
  const postgres = await startPostgres();
  try {
    await stopLeftoverPostgres(postgres.dir);
    assert.equal(beginningOf(postgres.pid), undefined);
    const log = readFileSync(postgres.logFile, 'utf8');
    assert.match(log, /received fast shutdown request.*database system is shut down/s);
  } finally {
    await postgres.stop();
  }
});
