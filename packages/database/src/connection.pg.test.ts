import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { freePort, startPostgres, type TestPostgres } from '@tidegate/testkit';
import { Pool } from './connection.ts';
import { failureKind } from './sqlstate.ts';

let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});

after(() => postgres.stop());

const openPool = (url: string) => new Pool({ url, name: 'test', connections: 1, prepare: false, onState: () => {} });
const kindOf = (call: Promise<unknown>) => call.then(() => 'done', failureKind);

test('The error of a closed connection is not returned by the first call on the next connection.', async () => {
  const pool = openPool(postgres.url);
  const end = () => pool.query('SELECT pg_terminate_backend(pg_backend_pid())');
  assert.equal(await kindOf(end()), 'lost');
  assert.deepEqual((await pool.query('SELECT 1'))[0], [1]);
  assert.equal(await kindOf(end()), 'lost');
  assert.deepEqual((await pool.transaction('', (run) => run('SELECT 2')))[0], [2]);
  await pool.close();
});

test('An error of PostgreSQL when connecting is returned unchanged.', async () => {
  const pool = openPool(postgres.url.replace(':test@', ':wrong@'));
  await assert.rejects(pool.query('SELECT 1'), { code: '28P01' });
  await assert.rejects(
    pool.transaction('', (run) => run('SELECT 1')),
    { code: '28P01' },
  );
  await pool.close();
});

test('The pool finds the reachable host of several hosts.', async () => {
  const [closedPort, port] = [await freePort(), new URL(postgres.url).port];
  const pool = openPool(postgres.url.replace(`:${port}/`, `:${closedPort},127.0.0.1:${port}/`));
  assert.deepEqual((await pool.query('SELECT 1'))[0], [1]);
  await pool.close();
});

test('Without a reachable host a call fails soon, and is known not to be executed.', async () => {
  const [one, two] = [await freePort(), await freePort()];
  const pool = openPool(`postgres://u:p@127.0.0.1:${one},127.0.0.1:${two}/db`);
  // the error comes at once, and not only at the timeout of the call
  await assert.rejects(pool.query('SELECT 1'), {
    code: 'NOT_SENT',
    message: `no host accepts writes: 127.0.0.1:${one} ECONNREFUSED, 127.0.0.1:${two} ECONNREFUSED`,
  });
  await pool.close();
});

test('A call that times out while it waits for a connection is not executed later.', async () => {
  const server = await startPostgres();
  const pool = openPool(server.url);
  process.kill(server.pid, 'SIGSTOP');
  const call = pool.query('SELECT 1', [], 200);
  assert.equal(await kindOf(call), 'absent');
  process.kill(server.pid, 'SIGCONT');
  assert.deepEqual((await pool.query('SELECT 2'))[0], [2]);
  await pool.close();
  await server.stop();
});
