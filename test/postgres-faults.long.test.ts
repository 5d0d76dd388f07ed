import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { whyNoNats } from '@tidegate/testkit';
import { MAPS } from './support/client.ts';
import { faultsOfLog, type GivenServers, onGivenServers } from './support/given-servers.ts';
import { underLoad } from './support/under-load.ts';
import { recovers, whileAway } from './support/while-away.ts';

describe('Under load, again and again', { skip: (await whyNoNats()) ?? false }, () => {
  let system: GivenServers;
  before(async () => {
    system = await onGivenServers();
  });
  after(() => system?.stop());

  afterEach(async () => {
    assert.deepEqual(await faultsOfLog(system.sql), { gaps: 0, twice: 0 });
    assert.equal((await system.client.ask('DELETE', MAPS)).code, 200);
  });

  test('PostgreSQL may be killed', async () => {
    const { client, database } = system;
    await underLoad(client, async (progress) => {
      for (let round = 0; round < 10; round++) {
        await database.kill();
        await whileAway(client);
        await database.restart();
        await recovers(client);
        await progress();
      }
    });
  });

  test('NATS may be away for a minute', async () => {
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
