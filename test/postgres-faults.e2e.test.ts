import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { until, whyNoNats } from '@tidegate/testkit';
import { configMap, MAPS } from './support/client.ts';
import { faultsOfLog, type GivenServers, onGivenServers } from './support/given-servers.ts';
import { underLoad } from './support/under-load.ts';
import { recovers, whileAway } from './support/while-away.ts';

describe('Under load', { skip: (await whyNoNats()) ?? false }, () => {
  let system: GivenServers;
  before(async () => {
    system = await onGivenServers();
  });
  after(() => system?.stop());

  afterEach(async () => {
    assert.deepEqual(await faultsOfLog(system.sql), { gaps: 0, twice: 0 });
    assert.equal((await system.client.ask('DELETE', MAPS)).code, 200);
  });

  test('a PostgreSQL that is killed is told soon, and nothing is lost, done twice or listed again when it is back', async () => {
    const { client, database } = system;
    await underLoad(client, async (progress) => {
      await database.kill();
      await whileAway(client);
      await database.restart();
      await recovers(client);
      await progress();
    });
  });

  test('all connections of the store may be cut at any moment', async () => {
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

  test('writes and watches go on without NATS, and when it is back', async () => {
    const { client, nats, tidegate } = system;
    const board = /board +(http:\S+)/.exec(tidegate.output)?.[1] as string;
    const state = async () => ((await (await fetch(`${board}/report.json`)).json()) as { state: string }).state;
    await underLoad(client, async (progress) => {
      await nats.kill();
      await until('the board to say it', async () => (await state()) === 'degraded');
      for (let round = 0; round < 4; round++) {
        await progress();
        const made = await client.ask('POST', '/api/v1/namespaces', { body: { metadata: { generateName: 'x-' } } });
        const { name, resourceVersion } = made.json.metadata;
        const path = `/api/v1/namespaces/${name}/configmaps`;
        const watch = await client.watch(`${path}?watch=1&resourceVersion=${resourceVersion}`);
        const written = await client.ask('POST', path, { body: configMap('without-nats') });
        const told = await watch.next();
        assert.equal(told.object.metadata.resourceVersion, written.json.metadata.resourceVersion);
        watch.close();
      }
      assert.equal((await client.get('/readyz')).code, 200);
      await nats.restart();
      await progress();
      await until('the board to be well', async () => (await state()) === 'ok');
      await progress();
    });
  });
});
