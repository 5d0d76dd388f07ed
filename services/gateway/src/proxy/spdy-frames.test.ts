import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataHead, type Frame, FrameReader, frameType, pingFrame, synStream } from './spdy-frames.ts';

/** Data of one stream that follows itself is one piece here. */
function framesOf(bytes: Buffer, size: number): string[] {
  const reader = new FrameReader();
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length; at += size) frames.push(...reader.take(bytes.subarray(at, at + size)));
  const told: string[] = [];
  let open = '';
  for (const frame of frames) {
    if (frame.kind === 'control') told.push(`control ${frame.type} ${frame.payload.toString('hex')}`);
    else open += frame.bytes.toString();
    if (frame.kind === 'data' && frame.fin) told.push(`stream ${frame.stream} ${open}`);
    if (frame.kind === 'data' && frame.fin) open = '';
  }
  return told;
}

test('frames are parsed however their bytes are split', () => {
  const bytes = Buffer.concat([
    pingFrame(Buffer.from([0, 0, 0, 2])),
    dataHead(5, 5, false),
    Buffer.from('hello'),
    dataHead(5, 6, true),
    Buffer.from(' world'),
    dataHead(7, 0, true),
  ]);
  for (const size of [1, 2, 7, 9, 1000]) {
    assert.deepEqual(framesOf(bytes, size), [
      `control ${frameType.ping} 00000002`,
      'stream 5 hello world',
      'stream 7 ',
    ]);
  }
});

test('a control frame that is too large is refused before it is received', () => {
  const head = Buffer.from([0x80, 3, 0, 8, 0, 1, 0, 1]);
  assert.throws(() => [...new FrameReader().take(head)], /too large/);
});

test('all headers form one zlib stream with one header', () => {
  const headers = { streamtype: 'stdin' };
  const [first, second] = [synStream(1, headers, true), synStream(3, headers, false)];
  const counted = (text: string) =>
    `000000${text.length.toString(16).padStart(2, '0')}${Buffer.from(text).toString('hex')}`;
  const block = Buffer.from(`00000001${counted('streamtype')}${counted('stdin')}`, 'hex');
  const length = block.length.toString(16).padStart(2, '0');
  const complement = (~block.length & 0xff).toString(16);
  const stored = `00${length}00${complement}ff${block.toString('hex')}000000ffff`;
  assert.equal(first.subarray(8).toString('hex'), `0000000100000000000078bbe3c6a7c2${stored}`);
  assert.equal(second.subarray(8).toString('hex'), `00000003000000000000${stored}`);
  assert.equal(first.readUIntBE(5, 3), first.length - 8);
});
