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

test('the error that ended a connection is not told to the first call on the next one', async () => {
  const pool = openPool(postgres.url);
  const end = () => pool.query('SELECT pg_terminate_backend(pg_backend_pid())');
  assert.equal(await kindOf(end()), 'lost');
  assert.deepEqual((await pool.query('SELECT 1'))[0], [1]);
  assert.equal(await kindOf(end()), 'lost');
  assert.deepEqual((await pool.transaction('', (run) => run('SELECT 2')))[0], [2]);
  await pool.close();
});

test('what PostgreSQL refuses at the door is told as it is', async () => {
  const pool = openPool(postgres.url.replace(':test@', ':wrong@'));
  await assert.rejects(pool.query('SELECT 1'), { code: '28P01' });
  await assert.rejects(
    pool.transaction('', (run) => run('SELECT 1')),
    { code: '28P01' },
  );
  await pool.close();
});

test('of several hosts the one that is there is found', async () => {
  const [nobody, port] = [await freePort(), new URL(postgres.url).port];
  const pool = openPool(postgres.url.replace(`:${port}/`, `:${nobody},127.0.0.1:${port}/`));
  assert.deepEqual((await pool.query('SELECT 1'))[0], [1]);
  await pool.close();
});

test('when no host is there a call is known not to have been done, and soon', async () => {
  const [one, two] = [await freePort(), await freePort()];
  const pool = openPool(`postgres://u:p@127.0.0.1:${one},127.0.0.1:${two}/db`);
  // whoever waits in vain is told so instead, and only when the time of the call is over
  await assert.rejects(pool.query('SELECT 1'), {
    code: 'NOT_SENT',
    message: `no host takes writes: 127.0.0.1:${one} ECONNREFUSED, 127.0.0.1:${two} ECONNREFUSED`,
  });
  await pool.close();
});

test('a call that found no connection in its time is not executed later', async () => {
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
