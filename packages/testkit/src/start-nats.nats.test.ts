import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startNats } from './start-nats.ts';

test('A killed NATS comes back at the same address.', async () => {
  const nats = await startNats();
  const before = nats.pid;
  await nats.kill();
  await nats.restart();
  assert.notEqual(nats.pid, before);
  await nats.stop();
});
