import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { builtInRegistry, tiesOf } from '@tidegate/kinds';
import { MetricRegistry } from '@tidegate/service-kit';
import { startPostgres, type TestPostgres } from '@tidegate/testkit';
import type { Key } from '@tidegate/wire';
import { readConfiguration } from '../../encryption/configuration.ts';
import { Vault } from '../../encryption/vault.ts';
import { GarbageQueue } from '../../storage/for-controllers/garbage-queue.ts';
import { OwnershipQueries } from '../../storage/for-controllers/ownership-queries.ts';
import { freshDatabase, keyOf, openStorage, silentLog, type TestStorage, write } from '../../testing/fixture.ts';
import { controllerMetrics } from '../metrics.ts';
import { GarbageCollector } from './garbage-collector.ts';

interface SentRequest {
  readonly method: string;
  readonly path: string;
  // biome-ignore lint/suspicious/noExplicitAny: the tests inspect the sent bodies
  readonly body: any;
}

let postgres: TestPostgres;
let storage: TestStorage;
let requests: SentRequest[];
let answer: (one: SentRequest) => number | Promise<number>;

before(async () => {
  postgres = await startPostgres();
});
beforeEach(async () => {
  await storage?.close();
  storage = await openStorage(await freshDatabase(postgres));
  requests = [];
  answer = () => 200;
});
after(async () => {
  await storage?.close();
  await postgres?.stop();
});

function collector(closing = new AbortController().signal): GarbageCollector {
  const ask = async (method: string, path: string, body?: unknown) => {
    const one = { method, path, body };
    requests.push(one);
    return { code: await answer(one), body: {} };
  };
  return new GarbageCollector({
    queue: new GarbageQueue(storage.database.streams),
    ownership: new OwnershipQueries(storage.database.streams),
    reads: storage.reads,
    gateway: { send: ask, patch: (path, body) => ask('PATCH', path, body) },
    registry: builtInRegistry(),
    metrics: controllerMetrics(new MetricRegistry()),
    log: silentLog,
    closing,
  });
}

const ENCRYPTED = JSON.stringify({
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'EncryptionConfiguration',
  resources: [
    {
      resources: ['secrets'],
      providers: [{ aesgcm: { keys: [{ name: 'k', secret: randomBytes(32).toString('base64') }] } }],
    },
  ],
});

const settle = async (by = collector()) => {
  while (await by.reconcile());
  return requests.map(({ method, path }) => `${method} ${path}`).sort();
};
const uidOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const owner = (name: string, uid: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid });
/** An object as the gateway writes it. */
function made(key: Key, uid: string, metadata: object = {}) {
  const meta = { name: key.name, uid, ...metadata };
  const ties = tiesOf(meta);
  const deleting = 'deletionTimestamp' in metadata;
  const value = Buffer.from(JSON.stringify({ metadata: meta }));
  return write('create', key, { value, uid, deleting, ...(ties && { ties }) });
}
const PATH = '/api/v1/namespaces/team/configmaps';

test('A deletion names the uid and the version that was examined.', async () => {
  const [first] = await storage.commits.submit([
    made(keyOf('a'), uidOf(1), { ownerReferences: [owner('no', uidOf(9))] }),
  ]);
  assert.deepEqual(await settle(), [`DELETE ${PATH}/a`]);
  assert.deepEqual(requests[0]?.body.preconditions, { uid: uidOf(1), resourceVersion: String(first?.revision) });
});

test('An object that was written in the meantime is examined again, as it is stored then.', async () => {
  const reference = owner('owner', uidOf(2));
  await storage.commits.submit([made(keyOf('a'), uidOf(1), { ownerReferences: [reference] })]);
  answer = async () => {
    await storage.commits.submit([made(keyOf('owner'), uidOf(2)), { ...made(keyOf('a'), uidOf(1)), kind: 1 }]);
    return 409;
  };
  await settle();
  assert.equal(requests.length, 1);
});

test('A suspect whose request the gateway rejects stays in the queue, with growing delays.', async () => {
  await storage.commits.submit([made(keyOf('a'), uidOf(1), { ownerReferences: [owner('no', uidOf(9))] })]);
  answer = () => 403;
  await settle();
  const [row] = await storage.database.streams.query('SELECT attempts, due > clock_timestamp() FROM tidegate.suspects');
  assert.deepEqual(row, [1, true]);
  assert.equal(requests.length, 1);
});

test('A gateway that cannot be reached postpones suspects only shortly.', async () => {
  await storage.commits.submit([made(keyOf('a'), uidOf(1), { ownerReferences: [owner('no', uidOf(9))] })]);
  answer = () => {
    throw new Error('ECONNREFUSED');
  };
  await assert.rejects(collector().reconcile(), /ECONNREFUSED/);
  const [row] = await storage.database.streams.query(
    `SELECT due < clock_timestamp() + interval '3 s' FROM tidegate.suspects`,
  );
  assert.deepEqual(row, [true]);
});

test('Another collector continues where one was stopped, without any state of the first.', async () => {
  const keys = Array.from({ length: 40 }, (_, i) => keyOf(`d-${i}`));
  await storage.commits.submit([made(keyOf('owner'), uidOf(999))]);
  await storage.commits.submit(
    keys.map((key, i) => made(key, uidOf(i), { ownerReferences: [owner('owner', uidOf(999))] })),
  );
  await settle();
  await storage.commits.submit([write('delete', keyOf('owner'))]);
  const closing = new AbortController();
  answer = () => {
    if (requests.length === 10) closing.abort();
    return 200;
  };
  await collector(closing.signal).reconcile();
  const done = requests.length;
  assert.ok(done < 40, `${done}`);
  await settle();
  assert.equal(new Set(requests.map(({ path }) => path)).size, 40);
});

test('Invalid names and unreadable objects do not block other suspects.', async () => {
  const odd = { ...owner('\u0000', uidOf(8)) };
  await storage.commits.submit([
    made(keyOf('odd'), uidOf(1), { ownerReferences: [odd] }),
    made(keyOf('a'), uidOf(2), { ownerReferences: [owner('no', uidOf(9))] }),
    write('create', keyOf('broken'), { value: Buffer.from('not json'), ties: ['owner/x'] }),
    write('create', keyOf('foreign', 'team', 'widgets.example.com'), { ties: ['owner/x'], value: Buffer.from('{}') }),
  ]);
  assert.deepEqual(await settle(), [`DELETE ${PATH}/a`, `DELETE ${PATH}/odd`]);
});

test('Encrypted objects are collected, too, and only uids are stored in plain text.', async () => {
  const vault = new Vault(readConfiguration(ENCRYPTED));
  const closed = await openStorage(await freshDatabase(postgres), vault);
  const secret = keyOf('s', 'team', 'secrets');
  await closed.commits.submit([
    made(secret, uidOf(1), { ownerReferences: [owner('private-name', uidOf(9))], annotations: { a: 'hidden' } }),
  ]);
  await storage.close();
  storage = closed;
  assert.deepEqual(await settle(), ['DELETE /api/v1/namespaces/team/secrets/s']);
  const [row] = await storage.database.streams.query(
    `SELECT ties::text, value FROM tidegate.objects WHERE resource = 'secrets'`,
  );
  const [ties, value] = row as [string, Buffer];
  assert.equal(ties, `{owner/${uidOf(9)}}`);
  assert.doesNotMatch(value.toString('latin1'), /private-name|hidden/);
});

test('An orphaned dependent keeps its other owners, and the owner is released after the last dependent.', async () => {
  const waiting = { finalizers: ['orphan', 'x'], deletionTimestamp: '2026-01-01T00:00:00Z' };
  await storage.commits.submit([made(keyOf('owner'), uidOf(999), waiting), made(keyOf('other'), uidOf(998))]);
  const both = [owner('owner', uidOf(999)), owner('other', uidOf(998))];
  await storage.commits.submit([made(keyOf('a'), uidOf(1), { ownerReferences: both })]);
  answer = async ({ path, body }) => {
    if (!path.endsWith('/a')) return 200;
    const left = { ...made(keyOf('a'), uidOf(1), body.metadata), kind: 1 as const };
    await storage.commits.submit([left]);
    return 200;
  };
  await settle();
  assert.deepEqual(
    requests.map(({ path, body }) => [path, body.metadata.ownerReferences ?? body.metadata.finalizers]),
    [
      [`${PATH}/a`, [owner('other', uidOf(998))]],
      [`${PATH}/owner`, ['x']],
    ],
  );
});

test('An object whose owner is of a kind that is not served is left alone, and examined again later.', async () => {
  const unservedOwner = { apiVersion: 'odd.example.com/v1', kind: 'Odd', name: 'o', uid: uidOf(9) };
  await storage.commits.submit([made(keyOf('a'), uidOf(1), { ownerReferences: [unservedOwner] })]);
  assert.deepEqual(await settle(), []);
  const [row] = await storage.database.streams.query(
    `SELECT attempts, due > clock_timestamp() + interval '1 s' FROM tidegate.suspects`,
  );
  assert.deepEqual(row, [1, true]);
});

test('An object without a namespace that names a namespaced owner is left alone, and an Event reports it.', async () => {
  await storage.commits.submit([made(keyOf('n', '', 'nodes'), uidOf(1), { ownerReferences: [owner('o', uidOf(9))] })]);
  assert.deepEqual(await settle(), ['POST /api/v1/namespaces/default/events']);
  const { reason, involvedObject } = requests[0]?.body ?? {};
  assert.equal(reason, 'OwnerRefInvalidNamespace');
  assert.deepEqual([involvedObject.kind, involvedObject.name], ['Node', 'n']);
});

test('An owner that is deleted in the foreground waits for the dependents that block it.', async () => {
  const going = { finalizers: ['foregroundDeletion'], deletionTimestamp: '2026-01-01T00:00:00Z' };
  const held = { ownerReferences: [{ ...owner('owner', uidOf(999)), blockOwnerDeletion: true }] };
  await storage.commits.submit([made(keyOf('owner'), uidOf(999), going), made(keyOf('a'), uidOf(1), held)]);
  // the waiting owner makes the collector examine its dependent once more
  assert.deepEqual([...new Set(await settle())], [`DELETE ${PATH}/a`]);
  await storage.commits.submit([write('delete', keyOf('a'))]);
  requests = [];
  assert.deepEqual(await settle(), [`PATCH ${PATH}/owner`]);
});
