import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { appendFactor, combineCrc32 } from './crc32-combine.ts';

function combined(parts: readonly Buffer[]): number {
  return parts.reduce((crc, part) => combineCrc32(crc, crc32(part), appendFactor(part.length)), 0);
}

test('the combined CRC of several texts is the CRC that zlib computes for the whole', () => {
  for (let lengths = 0; lengths < 200; lengths++) {
    const parts = Array.from({ length: 1 + (lengths % 7) }, () => randomBytes(Math.floor(Math.random() ** 3 * 5000)));
    assert.equal(combined(parts), crc32(Buffer.concat(parts)));
  }
});

test('empty texts do not change the CRC', () => {
  const text = Buffer.from('text');
  const nothing = Buffer.alloc(0);
  assert.equal(combined([nothing, text, nothing]), crc32(text));
  assert.equal(combined([nothing]), 0);
});

test('the length can be any power of two, up to a large text', () => {
  for (let power = 0; power <= 24; power++) {
    const second = Buffer.alloc(2 ** power, 'x');
    const whole = crc32(second, crc32(Buffer.from('first')));
    assert.equal(combined([Buffer.from('first'), second]), whole, `2^${power}`);
  }
});

test('lengths above 32 bits are right', () => {
  const half = appendFactor(2 ** 33);
  const crc = crc32(Buffer.from('text'));
  const twice = combineCrc32(combineCrc32(crc, 0, half), 0, half);
  assert.equal(combineCrc32(crc, 0, appendFactor(2 ** 34)), twice);
});
