import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from '@tidegate/testkit';
import { type RunningSystem, runningSystem } from './support/running-system.ts';
import { underLoad } from './support/under-load.ts';

const STEPPING = fileURLToPath(new URL('./support/clock-step.js', import.meta.url));

describe('A clock that is set', () => {
  let system: RunningSystem;
  before(async () => {
    system = await runningSystem({ env: { NODE_OPTIONS: `--import=${STEPPING}` } });
  });
  after(() => system.stop());

  for (const [way, parts] of [
    ['forward and back on every part', ['gateway', 'store', 'watch', 'health']],
    ['on the store alone', ['store']],
    ['on the watch service alone', ['watch']],
    ['on the gateway alone', ['gateway']],
  ] as const) {
    test(`an hour ${way} disturbs nobody`, async () => {
      const { client, tidegate } = system;
      await underLoad(client, async (progress) => {
        for (const _ of ['forward', 'back']) {
          for (const part of parts) process.kill(tidegate.pid(part), 'SIGUSR2');
          // far sooner than after the hour
          await progress();
          assert.equal((await client.get('/readyz')).code, 200);
        }
      });
      const { json } = await client.get('/api/v1/namespaces/default/configmaps?limit=1');
      assert.equal((await client.ask('DELETE', '/api/v1/namespaces/default/configmaps')).code, 200);
      assert.equal(json.items.length, 1);
    });
  }

  test('the stepped clock was really another one', async () => {
    const { client, tidegate } = system;
    const made = async () => {
      const body = { metadata: { generateName: 'clock-' } };
      const reply = await client.ask('POST', '/api/v1/namespaces/default/configmaps', { body });
      return Date.parse(reply.json.metadata.creationTimestamp);
    };
    process.kill(tidegate.pid('gateway'), 'SIGUSR2');
    await until('the clock to be set', async () => (await made()) > Date.now() + 3_000_000);
  });
});
