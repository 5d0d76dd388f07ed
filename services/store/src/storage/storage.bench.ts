import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createLogger, MetricRegistry } from '@tidegate/service-kit';
import { startPostgres } from '@tidegate/testkit';
import { guardKind, type Key, type Write, writeKind } from '@tidegate/wire';
import { Vault } from '../encryption/vault.ts';
import { storeMetrics } from '../metrics.ts';
import { CommitBatcher } from './commits/commit-batcher.ts';
import { Database } from './database.ts';
import { KeyReader } from './reads/reads.ts';

/**
 * The storage by itself against a PostgreSQL with durable commits (fsync on): writes and reads of 1 KiB objects with
 * random contents. Prints the rate, the median time and the CPU of this process and of PostgreSQL for each operation.
 * Options: --seconds N (each measurement), --clients N (of the writes), --readers N.
 */
const seconds = Number(option('seconds', '4'));
const clients = Number(option('clients', '64'));
const readers = Number(option('readers', '16'));

const NAMESPACE: Key = { resource: 'namespaces', namespace: '', name: 'bench' };
const TICKS_PER_SECOND = 100;

const postgres = await startPostgres({
  settings: { fsync: 'on', full_page_writes: 'on', shared_buffers: '256MB', wal_compression: 'off' },
});
const database = new Database({
  postgresUrl: postgres.url,
  postgresDirectUrl: '',
  postgresPrepare: option('prepare', 'true') === 'true',
});
await database.open({ allowDataLoss: false });
const metrics = storeMetrics(new MetricRegistry());
const commits = new CommitBatcher({
  pool: database.commits,
  vault: new Vault(),
  notify: false,
  metrics,
  tracing: { enabled: false, request: () => undefined, child: () => undefined, shutdown: async () => {} },
  log: createLogger('store', 'bench', 'warn'),
  onCommit: () => {},
});
const reads = new KeyReader(database.reads, new Vault(), metrics);

let made = 0;
await commits.submit([write('create', NAMESPACE)]);
// PostgreSQL plans the first calls each time
await during(1, clients, create);
await measure('create', clients, create);
await measure('create, 1 client', 1, create);
await measure('update', clients, update);
await measure('get', readers, get);
await measure('get, 64 clients', 64, get);
await measure('get, 1 client', 1, get);
await database.close();
await postgres.stop();

async function create(): Promise<void> {
  const key = keyOf(made++);
  const guards = [{ kind: guardKind.live, key: NAMESPACE }];
  const [outcome] = await commits.submit([{ ...write('create', key), guards }]);
  if (outcome?.kind !== 0) throw new Error(`create: ${JSON.stringify(outcome)}`);
}

async function update(client: number): Promise<void> {
  const index = client + clients * Math.floor((Math.random() * (made - clients)) / clients);
  const [outcome] = await commits.submit([write('update', keyOf(index))]);
  if (outcome?.kind !== 0) throw new Error(`update: ${JSON.stringify(outcome)}`);
}

async function get(): Promise<void> {
  const [outcome] = await reads.read([keyOf(Math.floor(Math.random() * made))]);
  if (outcome?.found !== true) throw new Error('get: not found');
}

function keyOf(index: number): Key {
  return { resource: 'configmaps', namespace: 'bench', name: `object-${index.toString(36).padStart(6, '0')}` };
}

function write(kind: keyof typeof writeKind, key: Key): Write {
  const uid = randomUUID();
  const metadata = { name: key.name, namespace: key.namespace, uid, creationTimestamp: new Date().toISOString() };
  const data = { data: randomBytes(640).toString('base64') };
  const value = Buffer.from(JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata, data }));
  const selection = Buffer.from(`{"labels":{},"fields":{"metadata.name":"${key.name}"}}`);
  return { kind: writeKind[kind], key, operationId: operationId(), value, splice: 80, selection, uid };
}

/** Ordered by time, as the gateway's. */
function operationId(): Buffer {
  const id = randomBytes(16);
  id.writeUIntBE(Date.now(), 0, 6);
  return id;
}

async function during(forSeconds: number, count: number, work: (client: number) => Promise<void>): Promise<number[]> {
  const end = performance.now() + forSeconds * 1000;
  const times: number[] = [];
  await Promise.all(
    Array.from({ length: count }, async (_, client) => {
      for (let now = performance.now(); now < end; ) {
        await work(client);
        const after = performance.now();
        times.push(after - now);
        now = after;
      }
    }),
  );
  return times;
}

async function measure(name: string, count: number, work: (client: number) => Promise<void>): Promise<void> {
  const cpuBefore = process.cpuUsage();
  const serverBefore = serverTicks();
  const begun = performance.now();
  const times = (await during(seconds, count, work)).sort((a, b) => a - b);
  const elapsed = (performance.now() - begun) / 1000;
  const cpu = process.cpuUsage(cpuBefore);
  const server = ((serverTicks() - serverBefore) * 1e6) / TICKS_PER_SECOND;
  const row = {
    operation: name,
    clients: count,
    'per second': Math.round(times.length / elapsed),
    'p50 ms': round(times[times.length >> 1] ?? 0),
    'p99 ms': round(times[Math.floor(times.length * 0.99)] ?? 0),
    'node us': round((cpu.user + cpu.system) / times.length),
    'postgres us': round(server / times.length),
    'sum us': round((cpu.user + cpu.system + server) / times.length),
  };
  console.log(JSON.stringify(row));
}

/** User and system time of the postmaster and all its children, including ended ones. */
function serverTicks(): number {
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number);
      const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map(
        (i) => fields[i],
      );
      if (Number(pid) === postgres.pid) ticks += user + system + endedUser + endedSystem;
      else if (parent === postgres.pid) ticks += user + system;
    } catch {
      // it has ended meanwhile
    }
  }
  return ticks;
}

function option(name: string, fallback: string): string {
  const flag = `--${name}=`;
  return process.argv.find((argument) => argument.startsWith(flag))?.slice(flag.length) ?? fallback;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
