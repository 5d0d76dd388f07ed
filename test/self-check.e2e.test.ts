import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { natsAddress } from '@tidegate/service-kit';
import {
  metricAt,
  startNats,
  startPostgres,
  type TestNats,
  type TestPostgres,
  until,
  whyNoNats,
} from '@tidegate/testkit';
import { type Change, logBatchCodec } from '@tidegate/wire';
import { connect, type NatsConnection } from 'nats';
import postgres from 'postgres';
import { type Client, configMap, MAPS } from './support/client.ts';
import { type RunningSystem, runningSystem } from './support/running-system.ts';

describe('Self-check of the watch service', { skip: (await whyNoNats()) ?? false }, () => {
  let database: TestPostgres;
  let system: RunningSystem;
  let client: Client;
  let sql: postgres.Sql;
  let nats: TestNats;
  let bus: NatsConnection;

  before(async () => {
    [database, nats] = await Promise.all([startPostgres(), startNats()]);
    bus = await connect(natsAddress({ natsUrl: nats.url }));
    sql = postgres(database.url, { max: 1, onnotice: () => {} });
    system = await runningSystem({
      args: [`--postgres-url=${database.url}`, `--nats-url=${nats.url}`],
      env: { TIDEGATE_ALLOW_DATA_LOSS: 'true', TIDEGATE_SELF_CHECK_SECONDS: '0.2' },
    });
    client = system.client;
    for (let i = 0; i < 300; i++) await client.request('POST', MAPS, { body: configMap(`checked-${i}`) });
  });
  after(async () => {
    await system?.stop();
    await sql?.end();
    await bus?.close();
    await Promise.all([database?.stop(), nats?.stop()]);
  });

  const metric = (name: string) => metricAt(system.tidegate.part('watch').opsAddress as string, name);

  test('The self-check reports no difference for a correct cache, also during writes.', async () => {
    for (let i = 0; i < 200; i++) {
      await client.request('POST', MAPS, { body: configMap(`busy-${i}`) });
      if (i % 2 === 0) await client.request('DELETE', `${MAPS}/busy-${i}`);
    }
    assert.deepEqual(
      [await metric('tidegate_watch_divergences_total'), await metric('tidegate_watch_resyncs_total')],
      [0, 0],
    );
    assert.ok((await metric('tidegate_watch_comparisons_total')) > 2, 'there were comparisons');
  });

  test('The self-check detects, reports and repairs a forged change in the cache.', async () => {
    const { revision, epoch } = await head();
    const forged = { ...change, revision: revision + 1 };
    bus.publish(
      'tidegate.changes.0',
      logBatchCodec.encode({ epoch, first: revision + 1, last: revision + 1, changes: [forged] }),
    );
    await until('the forged object to appear', async () => (await names('0')).includes('forged'));
    await client.request('POST', MAPS, { body: configMap('true') });
    assert.equal((await names('0')).includes('true'), false, 'the forged change replaces the real one');
    await until('the difference to be detected', async () => (await metric('tidegate_watch_divergences_total')) === 1);
    await until('the list to be repaired', async () => {
      const found = await names('');
      return found.includes('true') && !found.includes('forged');
    });
    const ready = `http://${system.tidegate.part('watch').opsAddress}/readyz`;
    await until('the watch service to be ready', async () => (await fetch(ready)).status === 200);
    assert.equal(await metric('tidegate_watch_divergences_total'), 1);
  });

  async function names(resourceVersion: string): Promise<string[]> {
    const { json } = await client.get(`${MAPS}?resourceVersion=${resourceVersion}`);
    return json.items.map((item: { metadata: { name: string } }) => item.metadata.name);
  }

  async function head(): Promise<{ revision: number; epoch: number }> {
    const [row] = await sql`SELECT revision::int, epoch FROM tidegate.head`;
    return row as unknown as { revision: number; epoch: number };
  }
});

const value = Buffer.from(
  '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"forged","namespace":"default","uid":"u"},"data":{}}',
);
const change: Change = {
  kind: 0,
  key: { resource: 'configmaps', namespace: 'default', name: 'forged' },
  revision: 0,
  previousRevision: 0,
  value,
  splice: value.indexOf('}'),
  selection: Buffer.alloc(0),
  uid: 'u',
  deleting: false,
  traceparent: '',
  byReference: false,
  corrupt: '',
};
