import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { appendFactor, combineCrc32 } from './crc32-combine.ts';

function combined(parts: readonly Buffer[]): number {
  return parts.reduce((crc, part) => combineCrc32(crc, crc32(part), appendFactor(part.length)), 0);
}

test('the CRC of texts in a row is what zlib says of the whole', () => {
  for (let lengths = 0; lengths < 200; lengths++) {
    const parts = Array.from({ length: 1 + (lengths % 7) }, () => randomBytes(Math.floor(Math.random() ** 3 * 5000)));
    assert.equal(combined(parts), crc32(Buffer.concat(parts)));
  }
});

test('empty texts change nothing', () => {
  const text = Buffer.from('text');
  const nothing = Buffer.alloc(0);
  assert.equal(combined([nothing, text, nothing]), crc32(text));
  assert.equal(combined([nothing]), 0);
});

test('every power of two is a length, up to a large text', () => {
  for (let power = 0; power <= 24; power++) {
    const second = Buffer.alloc(2 ** power, 'x');
    const whole = crc32(second, crc32(Buffer.from('first')));
    assert.equal(combined([Buffer.from('first'), second]), whole, `2^${power}`);
  }
});

test('lengths beyond 32 bits add up', () => {
  const half = appendFactor(2 ** 33);
  const crc = crc32(Buffer.from('text'));
  const twice = combineCrc32(combineCrc32(crc, 0, half), 0, half);
  assert.equal(combineCrc32(crc, 0, appendFactor(2 ** 34)), twice);
});
