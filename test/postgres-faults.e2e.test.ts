import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { until, whyNoNats } from '@tidegate/testkit';
import { configMap, MAPS } from './support/client.ts';
import { checkOutage, untilReady } from './support/database-outage.ts';
import { countLogFaults, type SystemWithServers, startSystemWithServers } from './support/system-with-servers.ts';
import { underLoad } from './support/under-load.ts';

describe('Faults of PostgreSQL and NATS under load', { skip: (await whyNoNats()) ?? false }, () => {
  let system: SystemWithServers;
  before(async () => {
    system = await startSystemWithServers();
  });
  after(() => system?.stop());

  afterEach(async () => {
    assert.deepEqual(await countLogFaults(system.sql), { gaps: 0, twice: 0 });
    assert.equal((await system.client.request('DELETE', MAPS)).code, 200);
  });

  test('When PostgreSQL is killed and restarted, no write is lost or repeated, and watchers need no new list.', async () => {
    const { client, database } = system;
    await underLoad(client, async (progress) => {
      await database.kill();
      await checkOutage(client);
      await database.restart();
      await untilReady(client);
      await progress();
    });
  });

  test('Terminated connections of the store lose no writes.', async () => {
    const { client, sql } = system;
    await underLoad(client, async (progress) => {
      for (let round = 0; round < 8; round++) {
        const cut = await sql`
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'tidegate-store-%'`;
        assert.ok(cut.length > 0);
        await progress();
      }
    });
  });

  test('Writes and watches continue without NATS and after its return.', async () => {
    const { client, nats, tidegate } = system;
    const board = /board +(http:\S+)/.exec(tidegate.output)?.[1] as string;
    const state = async () => ((await (await fetch(`${board}/report.json`)).json()) as { state: string }).state;
    await underLoad(client, async (progress) => {
      await nats.kill();
      await until('the board to show the degradation', async () => (await state()) === 'degraded');
      for (let round = 0; round < 4; round++) {
        await progress();
        const made = await client.request('POST', '/api/v1/namespaces', { body: { metadata: { generateName: 'x-' } } });
        const { name, resourceVersion } = made.json.metadata;
        const path = `/api/v1/namespaces/${name}/configmaps`;
        const watch = await client.watch(`${path}?watch=1&resourceVersion=${resourceVersion}`);
        const written = await client.request('POST', path, { body: configMap('without-nats') });
        const event = await watch.next();
        assert.equal(event.object.metadata.resourceVersion, written.json.metadata.resourceVersion);
        watch.close();
      }
      assert.equal((await client.get('/readyz')).code, 200);
      await nats.restart();
      await progress();
      await until('the board to show the recovery', async () => (await state()) === 'ok');
      await progress();
    });
  });
});
