import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from '@tidegate/testkit';
import { type RunningSystem, runningSystem } from './support/running-system.ts';
import { underLoad } from './support/under-load.ts';

const STEPPING = fileURLToPath(new URL('./support/clock-step.js', import.meta.url));

describe('Clock changes', () => {
  let system: RunningSystem;
  before(async () => {
    system = await runningSystem({ env: { NODE_OPTIONS: `--import=${STEPPING}` } });
  });
  after(() => system.stop());

  for (const [change, parts] of [
    ['forward and back on every part', ['gateway', 'store', 'watch', 'health']],
    ['on the store only', ['store']],
    ['on the watch service only', ['watch']],
    ['on the gateway only', ['gateway']],
  ] as const) {
    test(`A clock change by an hour ${change} disturbs no client.`, async () => {
      const { client, tidegate } = system;
      await underLoad(client, async (progress) => {
        for (const _ of ['forward', 'back']) {
          for (const part of parts) process.kill(tidegate.pid(part), 'SIGUSR2');
          // writes continue at once, not after an hour
          await progress();
          assert.equal((await client.get('/readyz')).code, 200);
        }
      });
      const { json } = await client.get('/api/v1/namespaces/default/configmaps?limit=1');
      assert.equal((await client.request('DELETE', '/api/v1/namespaces/default/configmaps')).code, 200);
      assert.equal(json.items.length, 1);
    });
  }

  test('The signal really changes the clock.', async () => {
    const { client, tidegate } = system;
    const made = async () => {
      const body = { metadata: { generateName: 'clock-' } };
      const reply = await client.request('POST', '/api/v1/namespaces/default/configmaps', { body });
      return Date.parse(reply.json.metadata.creationTimestamp);
    };
    process.kill(tidegate.pid('gateway'), 'SIGUSR2');
    await until('the clock to be set', async () => (await made()) > Date.now() + 3_000_000);
  });
});
