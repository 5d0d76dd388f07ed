import assert from 'node:assert/strict';
import { appendFileSync, closeSync, existsSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../temporary-directory.ts';
import { lastMessage, openLogFile, reasonLine } from './log-file.ts';

function place(): string {
  return join(temporaryDirectory(), 'part.log');
}

test('The reason is the plain line between lines of JSON.', () => {
  assert.equal(reasonLine(['{"level":60}', 'the port is taken', '{"level":30}', '']), 'the port is taken');
});

test('The reason of a crash is the line with the error.', () => {
  const lines = [
    'file:///x.ts:1',
    '  boom',
    'TypeError: no such thing',
    '    at main (x.ts:1:1)',
    '',
    'Node.js v26.0.0',
  ];
  assert.equal(reasonLine(lines), 'TypeError: no such thing');
});

test('The reason of PostgreSQL is its FATAL line, and not a later one.', () => {
  const lines = ['2026 [1] FATAL:  lock file exists', '2026 [1] LOG:  database system is shut down'];
  assert.equal(reasonLine(lines), '2026 [1] FATAL:  lock file exists');
});

test('Only the messages of the last run count.', () => {
  const path = place();
  writeFileSync(path, 'an old failure\n');
  const log = openLogFile(path);
  closeSync(log.fd);
  assert.equal(lastMessage(path, log.from), '');
  appendFileSync(path, 'a new failure\n');
  assert.equal(lastMessage(path, log.from), 'a new failure');
});

test('A large log is renamed.', () => {
  const path = place();
  writeFileSync(path, '');
  truncateSync(path, 17 << 20);
  const log = openLogFile(path);
  closeSync(log.fd);
  assert.equal(log.from, 0);
  assert.ok(existsSync(`${path}.1`));
});
