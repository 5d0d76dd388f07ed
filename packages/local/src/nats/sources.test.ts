import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checksumOf } from './sources.ts';

const sum = 'a'.repeat(64);

test('A checksum is found by the name of its file.', () => {
  assert.equal(checksumOf(`${'b'.repeat(64)}  other.tar.gz\n${sum}  nats.tar.gz\n`, 'nats.tar.gz'), sum);
});

test('A release that names no checksum for the file is refused.', () => {
  assert.throws(() => checksumOf(`${sum}  other.tar.gz\n`, 'nats.tar.gz'), /names no checksum for nats\.tar\.gz/);
});
