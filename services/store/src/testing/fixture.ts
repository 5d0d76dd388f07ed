import { randomBytes } from 'node:crypto';
import { Pool } from '@tidegate/database';
import { createLogger, MetricRegistry, type Tracing } from '@tidegate/service-kit';
import type { TestPostgres } from '@tidegate/testkit';
import { type Guard, guardKind, type Key, type StoredObject, type Write, writeKind } from '@tidegate/wire';
import { Vault } from '../encryption/vault.ts';
import { storeMetrics } from '../metrics.ts';
import { CommitBatcher, type Committed } from '../storage/commits/commit-batcher.ts';
import { Database } from '../storage/database.ts';
import { LogReader } from '../storage/log/log-reader.ts';
import { Lister } from '../storage/reads/lister.ts';
import { HeadReader, KeyReader } from '../storage/reads/reads.ts';

export const noTracing: Tracing = {
  enabled: false,
  request: () => undefined,
  child: () => undefined,
  shutdown: async () => {},
};

export const silentLog = createLogger('store', 'test', 'silent');

/** The storage of one store, without its rpc. */
export interface TestStorage {
  database: Database;
  commits: CommitBatcher;
  reads: KeyReader;
  heads: HeadReader;
  lister: Lister;
  log: LogReader;
  committed: Committed[];
  close(): Promise<void>;
}

export async function openStorage(
  url: string,
  vault = new Vault(),
  pooled = { postgresDirectUrl: '', postgresPrepare: true },
): Promise<TestStorage> {
  const database = new Database({ postgresUrl: url, ...pooled });
  await database.open({ allowDataLoss: true });
  const metrics = storeMetrics(new MetricRegistry());
  const committed: Committed[] = [];
  return {
    database,
    commits: new CommitBatcher({
      pool: database.commits,
      vault,
      notify: false,
      metrics,
      tracing: noTracing,
      log: silentLog,
      onCommit: (one) => committed.push(one),
    }),
    reads: new KeyReader(database.reads, vault, metrics),
    heads: new HeadReader(database.reads, () => {}),
    lister: new Lister(database.streams, vault),
    log: new LogReader(database.streams, vault),
    committed,
    close: () => database.close(),
  };
}

/** One connection, with which a test reads and changes the database directly. */
export function openPool(url: string): Pool {
  return new Pool({ url, name: 'test', connections: 1, prepare: false, onState: () => {} });
}

let databases = 0;

/** Creates a database for one test, in a server that tests share. */
export async function freshDatabase(postgres: TestPostgres): Promise<string> {
  const name = `test_${++databases}`;
  const pool = openPool(postgres.url);
  await pool.query(`CREATE DATABASE ${name}`);
  await pool.close();
  return postgres.url.replace(/\/postgres(\?|$)/, `/${name}$1`);
}

export function keyOf(name: string, namespace = 'team', resource = 'configmaps'): Key {
  return { resource, namespace, name };
}

export function write(kind: keyof typeof writeKind, key: Key, fields: Partial<Write> = {}): Write {
  return {
    kind: writeKind[kind],
    key,
    operationId: randomBytes(16),
    value: kind === 'delete' ? Buffer.alloc(0) : Buffer.from(`{"name":"${key.name}"}`),
    splice: 1,
    uid: kind === 'create' ? `uid-${key.name}` : '',
    ...fields,
  };
}

/** A value with only this text. */
export function textValue(text: string): Buffer {
  return Buffer.from(JSON.stringify({ text }));
}

export function textOf(value: Uint8Array): string {
  return (JSON.parse(Buffer.from(value).toString()) as { text: string }).text;
}

export function live(key: Key): Guard {
  return { kind: guardKind.live, key };
}

export async function listAt(storage: TestStorage, revision: number, resource = 'configmaps'): Promise<StoredObject[]> {
  const objects: StoredObject[] = [];
  await storage.lister.list({ resource, revision }, async (page) => {
    objects.push(...page.objects);
  });
  return objects;
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
