import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { natsAddress } from '@tidegate/service-kit';
import {
  startNats,
  startPostgres,
  type TestNats,
  type TestPostgres,
  temporaryDir,
  until,
  whyNoNats,
} from '@tidegate/testkit';
import { connect, type NatsConnection } from 'nats';
import postgres from 'postgres';
import { type Client, configMap, MAPS } from './support/client.ts';
import { type RunningSystem, runningSystem } from './support/running-system.ts';

const SECRET = 'correct horse battery staple';
const FORCE = 'ignoreStoreReadErrorWithClusterBreakingPotential=true';
const keys = { first: randomBytes(32).toString('base64'), second: randomBytes(32).toString('base64') };

function configuration(...names: Array<keyof typeof keys>): string {
  const list = names.map((name) => `{name: ${name}, secret: ${keys[name]}}`).join(', ');
  return `apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
  - resources: [configmaps]
    providers:
      - aesgcm: {keys: [${list}]}
      - identity: {}
`;
}

describe('Encryption at rest', { skip: (await whyNoNats()) ?? false }, () => {
  const place = temporaryDir('encryption');
  const file = join(place.path, 'encryption.yaml');
  const messages: Buffer[] = [];
  let database: TestPostgres;
  let nats: TestNats;
  let system: RunningSystem;
  let client: Client;
  let sql: postgres.Sql;
  let listener: NatsConnection;

  before(async () => {
    configure('first');
    [database, nats] = await Promise.all([startPostgres(), startNats()]);
    sql = postgres(database.url, { max: 1, onnotice: () => {} });
    listener = await connect(natsAddress({ natsUrl: nats.url }));
    listener.subscribe('tidegate.>', { callback: (_, message) => void messages.push(Buffer.from(message.data)) });
    system = await start();
    client = system.client;
  });
  after(async () => {
    await system?.stop();
    await sql?.end();
    await listener?.close();
    await Promise.all([database?.stop(), nats?.stop()]);
    place.remove();
  });

  const start = () =>
    runningSystem({
      args: [
        `--postgres-url=${database.url}`,
        `--nats-url=${nats.url}`,
        `--encryption-provider-config=${file}`,
        '--feature-gates=AllowUnsafeMalformedObjectDeletion=true',
      ],
      env: { TIDEGATE_ALLOW_DATA_LOSS: 'true' },
    });

  /** Replaces the file atomically, as tools of operators do. */
  function configure(...names: Array<keyof typeof keys>): void {
    writeFileSync(`${file}.new`, configuration(...names));
    renameSync(`${file}.new`, file);
  }

  async function create(name: string, metadata: object = {}): Promise<{ metadata: { resourceVersion: string } }> {
    const reply = await client.request('POST', MAPS, { body: configMap(name, { secret: SECRET }, metadata) });
    assert.equal(reply.code, 201, reply.text);
    return reply.json;
  }

  async function prefixOf(name: string): Promise<string> {
    const [row] = await sql`SELECT value FROM tidegate.objects WHERE resource = 'configmaps' AND name = ${name}`;
    return Buffer.from(row?.value ?? '').toString('latin1', 0, 30);
  }

  const resident = async () => {
    const rows = await sql`SELECT value AS bytes FROM tidegate.objects WHERE resource = 'configmaps'
      UNION ALL SELECT selection FROM tidegate.objects WHERE resource = 'configmaps'
      UNION ALL SELECT previous_value FROM tidegate.log WHERE resource = 'configmaps'
      UNION ALL SELECT previous_selection FROM tidegate.log WHERE resource = 'configmaps'`;
    return rows.map((row) => row.bytes as Buffer | null).filter((bytes) => bytes !== null);
  };

  test('PostgreSQL and NATS contain no plain text of encrypted objects, and clients get them decrypted.', async () => {
    const watch = await client.watch(`${MAPS}?watch=1&resourceVersion=0&labelSelector=who%3Dhidden-label`);
    await create('whole', { labels: { who: 'hidden-label' } });
    const added = await watch.next();
    assert.deepEqual([added.type, added.object.data.secret], ['ADDED', SECRET]);
    await client.request('PATCH', `${MAPS}/whole`, {
      body: { data: { more: SECRET } },
      headers: { 'Content-Type': 'application/merge-patch+json' },
    });
    assert.deepEqual((await watch.next()).object.data, { secret: SECRET, more: SECRET });
    await client.request('DELETE', `${MAPS}/whole`);
    assert.equal((await watch.next()).type, 'DELETED');
    watch.close();
    const stored = await resident();
    assert.ok(stored.length > 0 && messages.length > 0);
    assert.ok(
      messages.some((bytes) => bytes.includes('configmaps')),
      'the bus carried messages about configmaps',
    );
    for (const bytes of [...stored, ...messages]) {
      assert.ok(!bytes.includes(SECRET) && !bytes.includes('hidden-label'), bytes.toString('latin1'));
    }
  });

  test('A new first key is used without a restart, and an update without changes rewrites an object with it.', async () => {
    const made = await create('rotated');
    assert.match(await prefixOf('rotated'), /^k8s:enc:aesgcm:v1:first:/);
    configure('second', 'first');
    await until('the new key to be used', async () => {
      await client.request('PUT', `${MAPS}/probe`, { body: configMap('probe', { at: String(Date.now()) }) });
      await client.request('POST', MAPS, { body: configMap('probe') });
      return (await prefixOf('probe')).includes(':second:');
    });
    const same = await client.request('PUT', `${MAPS}/rotated`, { body: made });
    assert.equal(same.code, 200, same.text);
    assert.match(await prefixOf('rotated'), /^k8s:enc:aesgcm:v1:second:/);
    assert.notEqual(same.json.metadata.resourceVersion, made.metadata.resourceVersion);
    const again = await client.request('PUT', `${MAPS}/rotated`, { body: same.json });
    assert.equal(again.json.metadata.resourceVersion, same.json.metadata.resourceVersion);
  });

  test('An invalid configuration is logged and has no effect.', async () => {
    writeFileSync(file, 'kind: Pod\n');
    const log = join(system.tidegate.dataDir, 'logs', 'store.log');
    await until('the log entry', () => /must be an EncryptionConfiguration/.test(readFileSync(log, 'utf8')));
    await create('meanwhile');
    assert.match(await prefixOf('meanwhile'), /:second:/);
    configure('second', 'first');
  });

  test('Get, list and delete report a corrupt object, and all other objects are served.', async () => {
    await create('rotten');
    await create('sound');
    await sql`UPDATE tidegate.objects SET value = value || 'x' WHERE name = 'rotten'`;
    const got = await client.get(`${MAPS}/rotten`);
    assert.deepEqual([got.code, got.json.reason], [500, 'InternalError']);
    assert.deepEqual(
      got.json.details.causes.map((cause: { reason: string; field: string }) => [cause.reason, cause.field]),
      [['StorageReadError', 'default/rotten']],
    );
    for (const reply of [await client.get(MAPS), await client.request('DELETE', `${MAPS}/rotten`)]) {
      assert.equal(reply.code, 500, reply.text);
      assert.match(reply.json.message, /configmaps "default\/rotten" cannot be read: its checksum is wrong/);
    }
    assert.equal((await client.get(`${MAPS}/sound`)).code, 200);
    assert.equal((await client.get('/readyz')).code, 200);
    assert.equal((await client.get('/api/v1/namespaces')).code, 200);
  });

  test('A forced delete works only for corrupt objects and not with other options.', async () => {
    const readable = await client.request('DELETE', `${MAPS}/sound?${FORCE}`);
    assert.equal(readable.code, 422, readable.text);
    assert.match(
      readable.json.message,
      /is exclusively used to delete corrupt object\(s\), try again by removing this/,
    );
    const together = await client.request('DELETE', `${MAPS}/rotten`, {
      body: { kind: 'DeleteOptions', apiVersion: 'v1', [FORCE.split('=')[0] as string]: true, gracePeriodSeconds: 0 },
    });
    assert.equal(together.code, 422, together.text);
    assert.match(together.json.message, /Invalid value: true: cannot be set together with \.gracePeriodSeconds/);
    const collection = await client.request('DELETE', `${MAPS}?${FORCE}`);
    assert.equal(collection.code, 422, collection.text);
    assert.match(collection.json.message, /is not allowed with DELETECOLLECTION/);
    assert.equal((await client.request('DELETE', `${MAPS}/missing?${FORCE}`)).code, 404);
  });

  test('A forced delete removes a corrupt object with finalizers, and watchers get its last readable state.', async () => {
    const { metadata } = await create('held', { finalizers: ['example.com/never'] });
    const watch = await client.watch(`${MAPS}?watch=1&resourceVersion=${metadata.resourceVersion}`);
    const seen = await client.get(`${MAPS}/held?resourceVersion=${metadata.resourceVersion}`);
    assert.equal(seen.code, 200, 'the watch service still has its readable state');
    await sql`UPDATE tidegate.objects SET value = value || 'x' WHERE name = 'held'`;
    const removed = await client.request('DELETE', `${MAPS}/held?${FORCE}`);
    assert.equal(removed.code, 200, removed.text);
    assert.equal(removed.json.status, 'Success');
    const event = await watch.next();
    assert.equal(event.type, 'DELETED', JSON.stringify(event.object));
    assert.deepEqual([event.object.metadata.name, event.object.data.secret], ['held', SECRET]);
    assert.ok(BigInt(event.object.metadata.resourceVersion) > BigInt(metadata.resourceVersion));
    watch.close();
    assert.equal((await client.get(`${MAPS}/held`)).code, 404);
    assert.equal((await client.request('DELETE', `${MAPS}/rotten?${FORCE}`)).code, 200);
    await until('the list to be readable again', async () => (await client.get(MAPS)).code === 200);
  });

  test('After a start without a key its objects are corrupt, lists report that, and the system is ready.', async () => {
    await create('orphan');
    await system.stop();
    configure('first');
    system = await start();
    client = system.client;
    assert.equal((await client.get('/readyz')).code, 200);
    const listed = await client.get(MAPS);
    assert.equal(listed.code, 500, listed.text);
    assert.match(
      listed.json.message,
      /default\/orphan" cannot be read: it cannot be decrypted: .* no aesgcm key "second"/,
    );
    assert.equal((await client.get(`${MAPS}/orphan?resourceVersion=0`)).code, 500);
    assert.equal((await client.get(`${MAPS}?watch=1`)).code, 500);
    assert.equal((await client.get('/api/v1/namespaces')).code, 200);

    const { metadata } = await create('newcomer');
    const watch = await client.watch(`${MAPS}?watch=1&resourceVersion=${metadata.resourceVersion}`);
    assert.equal((await client.request('DELETE', `${MAPS}/orphan?${FORCE}`)).code, 200);
    const event = await watch.next();
    assert.deepEqual([event.type, event.object.code, event.object.reason], ['ERROR', 500, 'StorageReadError']);
    await assert.rejects(watch.next(), /the watch ended/);

    configure('first', 'second');
    await until('the list to be readable again', async () => (await client.get(MAPS)).code === 200);
    assert.equal((await client.get(`${MAPS}/rotated`)).json.data.secret, SECRET);
  });
});
