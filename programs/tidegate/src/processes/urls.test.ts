import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { freePort } from '@tidegate/local';
import { requireReachable, targetsOf } from './urls.ts';

const postgres = { option: '--postgres-url', protocols: ['postgres', 'postgresql'], defaultPort: 5432 } as const;

test('Every host of a URL is found, each with its port or the default port.', () => {
  const url = 'postgres://me:p%40ss@db1,db2:5433,[::1]:5434/name?sslmode=require';
  assert.deepEqual(targetsOf({ ...postgres, url }), [
    { host: 'db1', port: 5432 },
    { host: 'db2', port: 5433 },
    { host: '::1', port: 5434 },
  ]);
});

test("A socket's directory in the URL is a path.", () => {
  const url = 'postgres:///name?host=%2Frun%2Fpg';
  assert.deepEqual(targetsOf({ ...postgres, url }), [{ path: '/run/pg/.s.PGSQL.5432' }]);
});

test('Another kind of URL is rejected, and the error does not show it.', () => {
  assert.throws(() => targetsOf({ ...postgres, url: 'mysql://me:secret@db' }), {
    message: '--postgres-url must be a URL that begins with postgres:// or postgresql://',
    exitCode: 2,
  });
});

test('A URL with a reachable host is accepted.', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await requireReachable({ ...postgres, url: `postgres://me@127.0.0.1:${port}/x` });
  server.close();
});

test('A URL without a listening server is a one-line error with host and port, and without a password.', async () => {
  const port = await freePort();
  await assert.rejects(
    requireReachable({ ...postgres, url: `postgres://me:secret@127.0.0.1:${port}/x` }),
    (error: Error) => {
      assert.match(
        error.message,
        new RegExp(`^nothing answers at 127\\.0\\.0\\.1:${port} \\(ECONNREFUSED\\): check --postgres-url`),
      );
      assert.ok(!error.message.includes('secret'));
      return true;
    },
  );
});
