import assert from 'node:assert/strict';
import { closeSync, existsSync, openSync } from 'node:fs';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openLog } from './logger.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const FULL = '/dev/full';
const skip = existsSync(FULL) ? false : `no ${FULL} here, which is a disk that is always full`;

test('A log that cannot be written fails its check, does not end the process, and does not grow in memory.', {
  skip,
}, () => {
  const fd = openSync(FULL, 'w');
  const { log, trouble } = openLog({ part: 'store', instance: 'store-1', level: 'info', fd });
  assert.equal(trouble(), undefined);
  const before = heapUsed();
  for (let i = 0; i < 200; i++) log.info({ text: 'x'.repeat(100_000) }, 'A line.');
  assert.match(trouble() ?? '', /ENOSPC/);
  assert.ok(heapUsed() - before < 10 << 20);
  closeSync(fd);
});
