import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { memoryBytes } from '@tidegate/local';
import { Api } from './reliability/load/api.ts';
import { configMap, MAPS } from './support/client.ts';
import { type RunningSystem, runningSystem } from './support/running-system.ts';

const SILENT = 20;
const OBJECTS = 10;
const WRITES = 250;
const BYTES = 100_000;
const MIB = 2 ** 20;

describe('Watchers that do not read', () => {
  let system: RunningSystem;
  let api: Api;
  before(async () => {
    system = await runningSystem({ args: ['--no-nats'], env: { TIDEGATE_MIRROR_WINDOW_MEMORY_MIB: '8' } });
    api = new Api(system.tidegate, 60_000);
  });
  after(async () => {
    api?.close();
    await system?.stop();
  });

  test('They do not delay others or use memory of the gateway, and their streams end with an error when they read again.', async (t) => {
    const { client, tidegate } = system;
    const from = (await client.get(MAPS)).json.metadata.resourceVersion;
    const path = `${MAPS}?watch=1&resourceVersion=${from}&timeoutSeconds=120`;
    const silent = await Promise.all(
      Array.from({ length: SILENT }, () => api.stream(path) as Promise<IncomingMessage>),
    );
    const reading = await client.watch(path);
    const before = memoryBytes(tidegate.pid('gateway'));
    const written: string[] = [];
    for (let i = 0; i < WRITES; i++) {
      const name = `slow-${i % OBJECTS}`;
      const body = configMap(name, { text: String(i).padEnd(BYTES, 'x') });
      const { json } =
        i < OBJECTS
          ? await client.request('POST', MAPS, { body })
          : await client.request('PUT', `${MAPS}/${name}`, { body });
      written.push(json.metadata.resourceVersion);
      const { object } = await reading.next();
      assert.equal(object.metadata.resourceVersion, json.metadata.resourceVersion);
    }
    reading.close();
    const growth = memoryBytes(tidegate.pid('gateway')) - before;
    t.diagnostic(`${Math.round(growth / MIB)} MiB more, of ${Math.round((SILENT * WRITES * BYTES) / MIB)} MiB unread`);
    assert.ok(growth < 300 * MIB, `${growth / MIB} MiB`);
    for (const response of silent) {
      const lines = Buffer.concat(await response.toArray())
        .toString()
        .trimEnd()
        .split('\n');
      const last = JSON.parse(lines.pop() as string);
      assert.deepEqual([last.type, last.object.code, last.object.reason], ['ERROR', 410, 'Expired']);
      const versions = lines.map((line) => JSON.parse(line).object.metadata.resourceVersion);
      assert.ok(versions.length > 0 && versions.length < WRITES);
      assert.deepEqual(versions, written.slice(0, versions.length), 'the received events are complete and in order');
    }
  });
});
