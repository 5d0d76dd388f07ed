import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { test } from 'node:test';
import type { RunAs } from '@tidegate/local';
import { startPostgres } from './start-postgres.ts';
import { until } from './until.ts';

const notRoot = process.getuid?.() === 0 ? false : 'only root gives PostgreSQL to another user';

/** The user that a process runs as. */
function uidOf(pid: number): number {
  return Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

async function takesConnections(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = createConnection(Number(port), hostname, () => resolve(socket.destroy() !== undefined));
    socket.once('error', () => resolve(false));
  });
}

test('PostgreSQL accepts connections until it is stopped.', async () => {
  const postgres = await startPostgres();
  assert.ok(await takesConnections(postgres.url));
  await postgres.stop();
  assert.ok(!(await takesConnections(postgres.url)));
});

test('A killed PostgreSQL restarts at the same address.', async () => {
  const postgres = await startPostgres();
  const before = postgres.pid;
  await postgres.kill();
  await postgres.restart();
  assert.notEqual(postgres.pid, before);
  assert.ok(await takesConnections(postgres.url));
  await postgres.stop();
});

test('Started by root, it runs as another user.', { skip: notRoot }, async () => {
  const runAs: RunAs = { kind: 'user', name: 'nobody', uid: 65534, gid: 65534 };
  const postgres = await startPostgres({ runAs });
  assert.equal(uidOf(postgres.pid), 65534);
  await postgres.stop();
});

test('Started by root where only root can access the files, it runs in a user namespace.', {
  skip: notRoot,
}, async () => {
  const postgres = await startPostgres({ runAs: { kind: 'namespace' } });
  await until(
    'its own namespace',
    () => readFileSync(`/proc/${postgres.pid}/uid_map`, 'utf8').trim() === '1000          0          1',
  );
  assert.ok(await takesConnections(postgres.url));
  await postgres.stop();
});
