import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { caughtUp, promote, startPostgres, startStandby, type TestPostgres, until } from '@tidegate/testkit';
import postgres from 'postgres';
import { type Client, configMap, MAPS } from './support/client.ts';
import { checkOutage, untilReady } from './support/database-outage.ts';
import { type RunningSystem, runningSystem } from './support/running-system.ts';
import { countLogFaults } from './support/system-with-servers.ts';
import { underLoad } from './support/under-load.ts';

/** A primary, its standby, and a system without NATS whose URL names both. */
class Pair {
  readonly primary: TestPostgres;
  readonly standby: TestPostgres;
  readonly system: RunningSystem;

  constructor(primary: TestPostgres, standby: TestPostgres, system: RunningSystem) {
    this.primary = primary;
    this.standby = standby;
    this.system = system;
  }

  static async start(): Promise<Pair> {
    const primary = await startPostgres();
    const standby = await startStandby(primary);
    const url = primary.url.replace(`:${primary.port}/`, `:${primary.port},127.0.0.1:${standby.port}/`);
    const system = await runningSystem({
      args: [`--postgres-url=${url}`, '--no-nats'],
      env: { TIDEGATE_ALLOW_DATA_LOSS: 'true' },
    });
    return new Pair(primary, standby, system);
  }

  async stop(): Promise<void> {
    await this.system.stop();
    await Promise.all([this.standby.stop(), this.primary.stop()]);
  }
}

function connect(server: TestPostgres): postgres.Sql {
  return postgres(server.url, { max: 1, onnotice: () => {} });
}

describe('A failover to a synchronous standby', () => {
  let pair: Pair;
  before(async () => {
    pair = await Pair.start();
  });
  after(() => pair?.stop());

  test('A failover loses no acknowledged write, opens an epoch, and watchers need no new list.', async () => {
    const { primary, standby, system } = pair;
    const sql = connect(primary);
    await sql`ALTER SYSTEM SET synchronous_standby_names = 'standby'`;
    await sql`SELECT pg_reload_conf()`;
    await until('commits to wait for the standby', async () => {
      const [row] = await sql`SELECT sync_state FROM pg_stat_replication`;
      return row?.sync_state === 'sync';
    });
    await sql.end();
    const store = system.tidegate.pid('store');
    await underLoad(system.client, async (progress) => {
      await primary.kill();
      await checkOutage(system.client);
      await promote(standby);
      await progress();
      await untilReady(system.client);
    });
    const survivor = connect(standby);
    assert.deepEqual(await countLogFaults(survivor), { gaps: 0, twice: 0 });
    assert.deepEqual([...(await survivor`SELECT max(epoch)::int AS epoch FROM tidegate.epochs`)], [{ epoch: 2 }]);
    const names = await survivor`SELECT DISTINCT application_name AS name FROM pg_stat_activity`;
    for (const pool of ['commits', 'reads', 'streams', 'listen']) {
      assert.ok(
        names.some(({ name }) => name === `tidegate-store-${pool}`),
        `${pool} has found the new primary`,
      );
    }
    await survivor.end();
    assert.equal(system.tidegate.pid('store'), store, 'the process was not restarted');
  });
});

describe('A failover that loses the newest commits', () => {
  let pair: Pair;
  let client: Client;
  before(async () => {
    pair = await Pair.start();
    client = pair.system.client;
  });
  after(() => pair?.stop());

  const create = async (name: string): Promise<number> => {
    const reply = await client.request('POST', MAPS, { body: configMap(name) });
    assert.equal(reply.code, 201, reply.text);
    return Number(reply.json.metadata.resourceVersion);
  };
  const names = async (query = ''): Promise<string[]> =>
    (await client.get(`${MAPS}${query}`)).json.items.map((item: { metadata: { name: string } }) => item.metadata.name);

  test('No version is used twice, versions in the hole answer 410, and lost writes are not shown.', async () => {
    const { primary, standby } = pair;
    const kept = await create('kept');
    await caughtUp(standby, primary);
    const watch = await client.watch(`${MAPS}?watch=1&resourceVersion=${kept}`);
    const sql = connect(primary);
    const [sender] = await sql`SELECT pid FROM pg_stat_replication`;
    await sql.end();
    process.kill(sender?.pid, 'SIGSTOP');
    const lost = await create('lost');
    assert.equal((await watch.next()).object.metadata.name, 'lost');
    process.kill(sender?.pid, 'SIGKILL');
    await primary.kill();
    await promote(standby);
    await untilReady(client);
    const first = await create('new');
    assert.ok(first > lost + 1_000_000);
    const event = await watch.next();
    assert.deepEqual([event.type, event.object.code], ['ERROR', 410]);
    for (const query of [`?watch=1&resourceVersion=${lost}`, `?resourceVersion=${lost}&resourceVersionMatch=Exact`]) {
      assert.equal((await client.get(`${MAPS}${query}`)).code, 410, query);
    }
    assert.deepEqual(await names(), ['kept', 'new']);
    assert.deepEqual(await names(`?resourceVersion=${kept}&resourceVersionMatch=Exact`), ['kept']);
    assert.equal((await client.get(`${MAPS}/lost`)).code, 404);
    const again = await client.watch(`${MAPS}?watch=1&resourceVersion=${kept}`);
    assert.equal((await again.next()).object.metadata.resourceVersion, String(first));
    again.close();
    const survivor = connect(standby);
    assert.deepEqual(await countLogFaults(survivor), { gaps: 0, twice: 0 });
    await survivor.end();
  });
});
