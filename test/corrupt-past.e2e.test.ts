import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startPostgres, type TestPostgres } from '@tidegate/testkit';
import postgres from 'postgres';
import { type Client, configMap } from './support/client.ts';
import { type RunningSystem, runningSystem } from './support/running-system.ts';

const path = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;

describe('Corrupt objects in history that only the store has', () => {
  let database: TestPostgres;
  let sql: postgres.Sql;
  let system: RunningSystem;
  let client: Client;

  before(async () => {
    database = await startPostgres();
    sql = postgres(database.url, { max: 1, onnotice: () => {} });
    const args = ['--no-nats', `--postgres-url=${database.url}`];
    system = await runningSystem({
      args,
      env: { TIDEGATE_MIRROR_WINDOW_MEMORY_MIB: '0.001', TIDEGATE_ALLOW_DATA_LOSS: 'true' },
    });
    ({ client } = system);
  });
  after(async () => {
    await system?.stop();
    await sql?.end();
    await database?.stop();
  });

  /** Creates a namespace with one corrupt object among intact ones, and enough changes to leave the mirror's window. */
  const prepare = async (namespace: string, bytes: number): Promise<{ first: number; last: number }> => {
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    assert.equal((await client.request('POST', '/api/v1/namespaces', { body })).code, 201);
    const versions: number[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'y', 'z']) {
      const made = await client.request('POST', path(namespace), {
        body: configMap(name, { a: 'a'.repeat(bytes) }, { labels: { x: 'y' } }),
      });
      versions.push(Number(made.json.metadata.resourceVersion));
    }
    for (let i = 0; i < 10; i++) {
      await client.request('PUT', `${path(namespace)}/a`, {
        body: configMap('a', { a: 'a'.repeat(bytes), i: String(i) }),
      });
    }
    await sql`UPDATE tidegate.objects SET value = value || 'x' WHERE namespace = ${namespace} AND name = 'y'`;
    return { first: versions[0] ?? 0, last: versions.at(-1) ?? 0 };
  };

  test('A list that includes a corrupt object fails with 500 and names the object.', async () => {
    const { last } = await prepare('small', 10);
    for (const query of ['', '&limit=2', '&labelSelector=x']) {
      const { code, json } = await client.get(
        `${path('small')}?resourceVersion=${last}&resourceVersionMatch=Exact${query}`,
      );
      assert.equal(code, 500);
      assert.match(json.message, /configmaps "small\/y" cannot be read: its checksum is wrong/);
      assert.equal(json.details.causes[0].reason, 'StorageReadError');
    }
  });

  test('A list is aborted when it reaches a corrupt object after its start, and the next list fails with 500.', async () => {
    const { last } = await prepare('large', 700_000);
    const list = `${path('large')}?resourceVersion=${last}&resourceVersionMatch=Exact`;
    await assert.rejects(client.get(list), /aborted|socket hang up/);
    assert.equal((await client.get(list)).code, 500);
  });

  test('A watch sends the events before a corrupt object and then an error.', async () => {
    const { first } = await prepare('watched', 10);
    const watch = await client.watch(`${path('watched')}?watch=1&resourceVersion=${first}`);
    assert.equal(watch.code, 200);
    const events = await watch.rest();
    assert.deepEqual(
      events.map(({ type, object }) => `${type} ${object.metadata.name ?? object.reason}`),
      ['ADDED b', 'ADDED c', 'ADDED d', 'ERROR StorageReadError'],
    );
  });

  test('A watch with a selector fails with 500 if its initial state contains a corrupt object.', async () => {
    const { last } = await prepare('selected', 10);
    const { code, json } = await client.get(`${path('selected')}?watch=1&resourceVersion=${last}&labelSelector=x`);
    assert.equal(code, 500);
    assert.match(json.message, /configmaps "selected\/y" cannot be read/);
  });
});
