import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BackupError } from './backup-error.ts';
import { type Frame, frame, frameKind, framesOf, MARK } from './frames.ts';

async function* chunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Buffer, size = 7): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const one of framesOf(chunks(bytes, size))) frames.push(one);
  return frames;
}

const whole = Buffer.concat([
  MARK,
  frame(frameKind.header, Buffer.from('{}')),
  frame(frameKind.rows, Buffer.alloc(1000, 'r')),
  frame(frameKind.rows, Buffer.alloc(0)),
  frame(frameKind.trailer, Buffer.from('{"objects":1}')),
]);

test('Frames are read unchanged, wherever the chunks end.', async () => {
  for (const size of [1, 2, 5, 16, 21, 999, whole.length]) {
    const frames = await read(whole, size);
    assert.deepEqual(
      frames.map(({ kind, body }) => [kind, body.length]),
      [
        [frameKind.header, 2],
        [frameKind.rows, 1000],
        [frameKind.rows, 0],
        [frameKind.trailer, 13],
      ],
    );
    assert.deepEqual(Buffer.concat([MARK, ...frames.map(({ bytes }) => bytes)]), whole);
  }
});

test('A stream that ends inside a frame is rejected, at every byte.', async () => {
  const ends = [0, MARK.length, MARK.length + 7, MARK.length + 1012, MARK.length + 1017, whole.length];
  for (let length = 1; length < whole.length; length++) {
    const reading = read(whole.subarray(0, length), 64);
    if (ends.includes(length)) await reading;
    else await assert.rejects(reading, BackupError, `${length}`);
  }
});

test('A file with another beginning is not a backup.', async () => {
  await assert.rejects(read(Buffer.from('apiVersion: v1\nkind: List\n')), /not a backup of tidegate/);
  await assert.rejects(read(Buffer.alloc(0)), /not a backup of tidegate/);
});

test('An unknown kind and an impossible length are rejected.', async () => {
  await assert.rejects(read(Buffer.concat([MARK, Buffer.from([9, 0, 0, 0, 0])])), /damaged/);
  await assert.rejects(read(Buffer.concat([MARK, Buffer.from([2, 0xff, 0, 0, 0])])), /damaged/);
});
