import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Frames } from '../codec/event-frames.ts';
import { SharedFrames } from './fan-out.ts';

const framesOf = () => ({}) as Frames;

test('Watches with the same options share frames, which are released with the last watch.', () => {
  const frames = new SharedFrames();
  const [one, two] = [frames.acquire('labels=a', framesOf), frames.acquire('labels=a', framesOf)];
  assert.equal(one.frames, two.frames);
  frames.release(one);
  assert.equal(frames.size, 1);
  frames.release(two);
  assert.equal(frames.size, 0);
});

test('Arbitrary selectors of clients leave no memory behind.', () => {
  const frames = new SharedFrames();
  for (let i = 0; i < 10_000; i++) frames.release(frames.acquire(`labels=a-${i}`, framesOf));
  assert.equal(frames.size, 0);
});
