import { randomUUID } from 'node:crypto';
import { builtInRegistry, tiesOf } from '@tidegate/kinds';
import { MetricRegistry } from '@tidegate/service-kit';
import { startPostgres } from '@tidegate/testkit';
import { type Write, writeKind } from '@tidegate/wire';
import { GarbageQueue } from '../../storage/for-controllers/garbage-queue.ts';
import { OwnershipQueries } from '../../storage/for-controllers/ownership-queries.ts';
import { freshDatabase, keyOf, openStorage, silentLog, write } from '../../testing/fixture.ts';
import { controllerMetrics } from '../metrics.ts';
import { GarbageCollector } from './garbage-collector.ts';

/**
 * Measures the collector with a gateway that deletes at once: how fast it finds and examines the dependents of deleted
 * owners, and the cost of a pass while nothing is written, among many objects that have owners.
 * Options: --objects N (that stay), --owners N (that are deleted, each with one dependent).
 */
const objects = Number(option('objects', '100000'));
const owners = Number(option('owners', '10000'));

const postgres = await startPostgres({ settings: { shared_buffers: '256MB' } });
const storage = await openStorage(await freshDatabase(postgres));
const paths = '/api/v1/namespaces/team/configmaps/';
let deleted = 0;
const collector = new GarbageCollector({
  queue: new GarbageQueue(storage.database.streams),
  ownership: new OwnershipQueries(storage.database.streams),
  reads: storage.reads,
  gateway: {
    send: async (_, path) => {
      await storage.commits.submit([write('delete', keyOf(path.slice(paths.length)))]);
      deleted++;
      return { code: 200, body: {} };
    },
    patch: async () => ({ code: 200, body: {} }),
  },
  registry: builtInRegistry(),
  metrics: controllerMetrics(new MetricRegistry()),
  log: silentLog,
  closing: new AbortController().signal,
});

const keeper = randomUUID();
await commit([made('keeper', keeper)]);
await commit(Array.from({ length: objects }, (_, i) => made(`lies-${i}`, randomUUID(), ['keeper', keeper])));
report('every object is a suspect once', objects, await timed(settle));
report(
  'idle rounds',
  100,
  await timed(async () => {
    for (let i = 0; i < 100; i++) await collector.reconcile();
  }),
);

const uids = Array.from({ length: owners }, () => randomUUID());
await commit(uids.map((uid, i) => made(`owner-${i}`, uid)));
await commit(uids.map((uid, i) => made(`owned-${i}`, randomUUID(), [`owner-${i}`, uid])));
await settle();
deleted = 0;
await commit(uids.map((_, i) => write('delete', keyOf(`owner-${i}`))));
report('dependents of deleted owners', owners, await timed(settle));
if (deleted !== owners) throw new Error(`${deleted} of ${owners} were deleted`);
await storage.close();
await postgres.stop();

function made(name: string, uid: string, owner?: readonly [string, string]): Write {
  const reference = owner && {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: owner[0],
    uid: owner[1],
    blockOwnerDeletion: true,
  };
  const metadata = { name, uid, ...(reference && { ownerReferences: [reference] }) };
  const ties = tiesOf(metadata);
  const value = Buffer.from(JSON.stringify({ metadata, data: { text: 'x'.repeat(700) } }));
  return { ...write('create', keyOf(name), { value, uid, ...(ties && { ties }) }), kind: writeKind.create };
}

async function commit(writes: readonly Write[]): Promise<void> {
  for (let at = 0; at < writes.length; at += 5000) await storage.commits.submit(writes.slice(at, at + 5000));
  storage.committed.length = 0;
}

async function settle(): Promise<void> {
  while (await collector.reconcile());
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function report(what: string, count: number, ms: number): void {
  const line = { what, count, ms: Math.round(ms), 'per second': Math.round((1000 * count) / ms) };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function option(name: string, otherwise: string): string {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : (process.argv[at + 1] ?? otherwise);
}
