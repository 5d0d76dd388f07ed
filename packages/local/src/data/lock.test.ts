import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { lockHolder, ownIdentity, takeLock, temporaryDirectory } from '../index.ts';

function lockFile(): string {
  return join(temporaryDirectory(), 'lock');
}

test('A free lock is taken and names its holder.', () => {
  const file = lockFile();
  const lock = takeLock(file);
  assert.equal(lock.kind, 'taken');
  assert.deepEqual(lockHolder(file), ownIdentity());
});

test('A lock of a running process is not taken, and the result names the process.', () => {
  const file = lockFile();
  takeLock(file);
  const second = takeLock(file);
  assert.deepEqual(second, { kind: 'held', by: ownIdentity() });
});

test('A lock of a dead process is taken over, and reported as left over.', () => {
  const file = lockFile();
  writeFileSync(file, JSON.stringify({ pid: 2 ** 22 + 1, began: '1' }));
  const lock = takeLock(file);
  assert.ok(lock.kind === 'taken' && lock.leftBehind);
});

test('A lock whose process id now belongs to another process is taken over.', () => {
  const file = lockFile();
  writeFileSync(file, JSON.stringify({ pid: process.pid, began: 'long ago' }));
  assert.equal(takeLock(file).kind, 'taken');
});

test('An incomplete lock file is taken over, and no other file is left beside it.', () => {
  const file = lockFile();
  writeFileSync(file, '{"pid":');
  assert.equal(takeLock(file).kind, 'taken');
  assert.deepEqual(readdirSync(join(file, '..')), ['lock']);
});

test('A released lock is free again.', () => {
  const file = lockFile();
  const lock = takeLock(file);
  if (lock.kind === 'taken') lock.release();
  assert.equal(lockHolder(file), undefined);
  assert.equal(takeLock(file).kind, 'taken');
});

test('Releasing a lock that another start now holds does not remove it.', () => {
  const file = lockFile();
  const lock = takeLock(file);
  const other = JSON.stringify({ pid: process.ppid, began: 'then' });
  writeFileSync(file, other);
  if (lock.kind === 'taken') lock.release();
  assert.equal(readFileSync(file, 'utf8'), other);
});
