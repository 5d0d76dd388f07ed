import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { crc32, gunzipSync, inflateRawSync } from 'node:zlib';
import { type Deflated, joinDeflated, stored } from './deflated.ts';
import { Deflater } from './deflater.ts';
import { GzipMember } from './gzip-member.ts';

const deflater = new Deflater();
after(() => deflater.close());

function member(parts: readonly Deflated[]): Buffer {
  const gzip = new GzipMember();
  return Buffer.concat([gzip.begin(), ...parts.map((part) => gzip.add(part)), gzip.end()]);
}

const texts = Array.from({ length: 40 }, (_, i) =>
  i % 5 === 0 ? randomBytes(i * 997) : Buffer.from(`{"name":"x${i}","data":"${'abc'.repeat(i * 50)}"}`),
);

test('texts that were deflated separately are one gzip member, in any order', async () => {
  const parts = await Promise.all(texts.map((text) => deflater.deflate(text)));
  assert.deepEqual(gunzipSync(member(parts)), Buffer.concat(texts));
  assert.deepEqual(gunzipSync(member(parts.toReversed())), Buffer.concat(texts.toReversed()));
});

test('stored and deflated texts can be mixed, and joined texts can be joined again', async () => {
  const large = randomBytes(200_000);
  const row = joinDeflated([stored(Buffer.from('a,')), await deflater.deflate(large), stored(Buffer.from(','))]);
  const whole = Buffer.concat([Buffer.from('a,'), large, Buffer.from(',')]);
  assert.deepEqual(gunzipSync(member([row, stored(large), row])), Buffer.concat([whole, large, whole]));
});

test('a member without texts is valid', () => {
  assert.equal(gunzipSync(member([])).length, 0);
  assert.equal(gunzipSync(member([stored(Buffer.alloc(0))])).length, 0);
});

test('there is one member: its deflate stream ends where the trailer begins, and no bytes follow', async () => {
  const bytes = member(await Promise.all(texts.map((text) => deflater.deflate(text))));
  const { buffer, engine } = inflateRawSync(bytes.subarray(10), { info: true }) as unknown as {
    buffer: Buffer;
    engine: { bytesWritten: number };
  };
  assert.deepEqual(buffer, Buffer.concat(texts));
  assert.equal(engine.bytesWritten, bytes.length - 10 - 8);
  assert.equal(bytes.readUInt32LE(bytes.length - 8), crc32(buffer));
});

test('the checksum detects a damaged text', async () => {
  const [part] = await Promise.all([deflater.deflate(Buffer.from('text '.repeat(100)))]);
  assert.throws(() => gunzipSync(member([{ ...part, crc: part.crc ^ 1 }])), /incorrect data check/);
  assert.throws(() => gunzipSync(member([{ ...part, length: part.length + 1 }])), /incorrect length check/);
});
