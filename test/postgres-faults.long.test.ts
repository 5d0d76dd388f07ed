import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { whyNoNats } from '@tidegate/testkit';
import { MAPS } from './support/client.ts';
import { checkOutage, untilReady } from './support/database-outage.ts';
import { countLogFaults, type SystemWithServers, startSystemWithServers } from './support/system-with-servers.ts';
import { underLoad } from './support/under-load.ts';

describe('Repeated faults of PostgreSQL and NATS under load', { skip: (await whyNoNats()) ?? false }, () => {
  let system: SystemWithServers;
  before(async () => {
    system = await startSystemWithServers();
  });
  after(() => system?.stop());

  afterEach(async () => {
    assert.deepEqual(await countLogFaults(system.sql), { gaps: 0, twice: 0 });
    assert.equal((await system.client.request('DELETE', MAPS)).code, 200);
  });

  test('Repeated kills of PostgreSQL lose no writes.', async () => {
    const { client, database } = system;
    await underLoad(client, async (progress) => {
      for (let round = 0; round < 10; round++) {
        await database.kill();
        await checkOutage(client);
        await database.restart();
        await untilReady(client);
        await progress();
      }
    });
  });

  test('An outage of NATS for a minute loses no changes.', async () => {
    const { client, nats } = system;
    await underLoad(client, async (progress) => {
      await nats.kill();
      const killed = performance.now();
      while (performance.now() - killed < 60_000) await progress();
      await nats.restart();
      await progress();
    });
  });
});
