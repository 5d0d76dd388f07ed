import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startPostgres, type TestPostgres, until } from '@tidegate/testkit';
import postgres from 'postgres';
import { type Client, configMap, MAPS } from './support/client.ts';
import { type RunningSystem, runningSystem } from './support/running-system.ts';

describe('A failover that may have lost the newest commits', () => {
  let database: TestPostgres;
  let system: RunningSystem;
  let client: Client;
  let sql: postgres.Sql;

  before(async () => {
    database = await startPostgres();
    sql = postgres(database.url, { max: 1, onnotice: () => {} });
    system = await runningSystem({
      args: [`--postgres-url=${database.url}`],
      env: { TIDEGATE_ALLOW_DATA_LOSS: 'true' },
    });
    client = system.client;
  });
  after(async () => {
    await system?.stop();
    await sql?.end();
    await database?.stop();
  });

  const create = async (name: string): Promise<number> => {
    const reply = await client.request('POST', MAPS, { body: configMap(name) });
    assert.equal(reply.code, 201, reply.text);
    return Number(reply.json.metadata.resourceVersion);
  };

  test('Versions that may be lost answer 410, older versions are served, and no version is used twice.', async () => {
    const before = await create('before');
    const lost = before + 1;
    // simulates a standby without the newest commits: another system identifier with the same rows
    await sql`UPDATE tidegate.head SET system_identifier = 'elsewhere', server_started_at = '-infinity'`;
    const first = await create('after');
    assert.ok(first > before + 1_000_000);
    await until('the watch service to reload everything', async () => {
      const reply = await client.get(`${MAPS}?resourceVersion=${first}`);
      return reply.code === 200 && reply.json.items.length === 2;
    });
    for (const path of [
      `${MAPS}?watch=1&resourceVersion=${lost}`,
      `${MAPS}?resourceVersion=${lost}&resourceVersionMatch=Exact`,
      `${MAPS}?resourceVersion=${first - 1}&resourceVersionMatch=Exact`,
    ]) {
      const reply = await client.get(path);
      assert.deepEqual([reply.code, reply.json.reason], [410, 'Expired'], path);
    }
    assert.equal((await client.get(`${MAPS}?resourceVersion=${lost}`)).code, 200);
    const exact = await client.get(`${MAPS}?resourceVersion=${before}&resourceVersionMatch=Exact`);
    assert.deepEqual([exact.code, exact.json.items.length], [200, 1]);
    const watch = await client.watch(`${MAPS}?watch=1&resourceVersion=${before}`);
    const { type, object } = await watch.next();
    assert.deepEqual([type, object.metadata.name, Number(object.metadata.resourceVersion)], ['ADDED', 'after', first]);
    watch.close();
  });

  test('A watch at a lost version ends with 410 when the system detects the failover.', async () => {
    const last = await create('last');
    const watch = await client.watch(`${MAPS}?watch=1&resourceVersion=${last}`);
    await create('seen');
    assert.equal((await watch.next()).object.metadata.name, 'seen');
    // the commit of "seen" is lost with the failed primary
    await sql.begin(async (tx) => {
      await tx`DELETE FROM tidegate.objects WHERE name = 'seen'`;
      await tx`DELETE FROM tidegate.log WHERE revision = ${last + 1}`;
      await tx`UPDATE tidegate.head SET revision = ${last}, system_identifier = 'elsewhere', server_started_at = '-infinity'`;
    });
    await create('new');
    const event = await watch.next();
    assert.deepEqual([event.type, event.object.code, event.object.reason], ['ERROR', 410, 'Expired']);
    const names = (await client.get(MAPS)).json.items.map((item: { metadata: { name: string } }) => item.metadata.name);
    assert.deepEqual(names, ['after', 'before', 'last', 'new']);
  });
});
