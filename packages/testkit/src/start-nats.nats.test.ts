import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startNats, whyNoNats } from './start-nats.ts';

test('A killed NATS restarts at the same address.', { skip: (await whyNoNats()) ?? false }, async () => {
  const nats = await startNats();
  const before = nats.pid;
  await nats.kill();
  await nats.restart();
  assert.notEqual(nats.pid, before);
  await nats.stop();
});
