import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { memoryBytes, signalQuietly } from '@tidegate/local';
import { type Cluster, startCluster, until } from '@tidegate/testkit';
import postgres from 'postgres';
import { fillStore } from './support/fill-store.ts';

const OBJECTS = 100_000;
const OBJECT_BYTES = 1024;
const LIMIT_MS = 10_000;
/** the number of slots of the log */
const SLOTS = 8;

describe('Cold start of a watch service with 100,000 ConfigMaps of 1 KiB', () => {
  let cluster: Cluster;
  let emptyBytes: number;
  let valueBytes: number;
  before(async () => {
    cluster = await startCluster({ replicas: 1, nats: false });
    emptyBytes = memoryBytes(cluster.parts.get('watch-1')!.pid);
    valueBytes = await fillStore(cluster, OBJECTS, OBJECT_BYTES);
  });
  after(() => cluster?.stop());

  /** Kills the process and waits until the new one is ready. */
  const restart = async (): Promise<{ ms: number; bytes: number }> => {
    const part = cluster.parts.get('watch-1')!;
    const old = part.pid;
    const begun = performance.now();
    signalQuietly(old, 'SIGKILL');
    await until('a restart', () => part.pid !== old);
    await until('the watch service to be ready', () => cluster.ready('watch-1'), 60_000);
    const ms = performance.now() - begun;
    assert.ok((await cluster.metric('watch-1', 'tidegate_watch_objects')) >= OBJECTS);
    return { ms, bytes: memoryBytes(part.pid) - emptyBytes };
  };
  const describeStart = ({ ms, bytes }: { ms: number; bytes: number }) =>
    `ready after ${(ms / 1000).toFixed(1)} s; ${(bytes / valueBytes).toFixed(1)} bytes for each byte of objects`;

  test('The watch service is ready within 10 s when the log still contains all creations.', async (t) => {
    const start = await restart();
    t.diagnostic(describeStart(start));
    assert.ok(start.ms < LIMIT_MS, describeStart(start));
  });

  test('The watch service is ready within 10 s when the log no longer contains the creations.', async (t) => {
    const sql = postgres(cluster.postgres.url, { max: 1, onnotice: () => {} });
    for (let i = 0; i < SLOTS; i++) await sql`SELECT tidegate.rotate_log('0')`;
    await sql.end();
    const start = await restart();
    t.diagnostic(describeStart(start));
    assert.ok(start.ms < LIMIT_MS, describeStart(start));
  });
});
