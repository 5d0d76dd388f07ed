import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '@tidegate/testkit';
import { NatsFrames } from './nats-frames.ts';

const FRAMES = [
  ['INFO', '', 'INFO {"max_payload":1048576}\r\n'],
  ['PUB', 'a.b', 'PUB a.b 4\r\n\r\n\r\n\r\n'],
  ['HPUB', 'a.b', 'HPUB a.b reply 18 23\r\nNATS/1.0\r\nA: b\r\n\r\nhello\r\n'],
  ['MSG', 'a.c', 'MSG a.c 9 reply 0\r\n\r\n'],
  ['HMSG', 'a.c', 'HMSG a.c 9 reply 12 12\r\nNATS/1.0\r\n\r\n\r\n'],
  ['PING', '', 'ping\r\n'],
] as const;

test('Frames are parsed independently of how the input is split.', () => {
  const whole = Buffer.from(FRAMES.map(([, , text]) => text).join(''));
  for (let seed = 1; seed <= 50; seed++) {
    const random = new Random(seed);
    const frames = new NatsFrames();
    const found = [];
    for (let at = 0; at < whole.length; ) {
      const to = at + 1 + random.below(12);
      for (const { operation, subject, bytes } of frames.parse(whole.subarray(at, to)))
        found.push([operation, subject, bytes.toString()]);
      at = to;
    }
    assert.deepEqual(found, FRAMES, `seed ${seed}`);
  }
});
