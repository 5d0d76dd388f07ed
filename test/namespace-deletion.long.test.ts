import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTidegate } from '@tidegate/testkit';
import { Client } from './support/client.ts';
import { deleteFilledNamespace } from './support/delete-filled-namespace.ts';

test('A namespace with 10,000 objects is deleted within 15 seconds.', async (t) => {
  const tidegate = await startTidegate();
  const client = new Client(tidegate);
  try {
    const ms = await deleteFilledNamespace(client, 'filled', 10_000);
    t.diagnostic(`${Math.round(ms)} ms`);
    assert.ok(ms < 15_000, `${ms} ms`);
  } finally {
    client.close();
    await tidegate.stop();
  }
});
