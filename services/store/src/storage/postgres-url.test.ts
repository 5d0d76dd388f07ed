import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectTarget } from './postgres-url.ts';

test('a plain URL stays as it is', () => {
  const url = 'postgres://user:p%40ss@host:5432/db?application_name=x';
  assert.deepEqual(connectTarget(url), { url, options: {} });
});

test('host= names the directory of a socket', () => {
  assert.deepEqual(connectTarget('postgres://u:p@localhost:1/db?host=%2Ftmp%2Fx'), {
    url: 'postgres://u:p@localhost:1/db',
    options: { host: '/tmp/x' },
  });
});

test('of several hosts the one that takes writes is meant, unless the URL says otherwise', () => {
  assert.equal(connectTarget('postgres://a:1,b:2/db').options.target_session_attrs, 'read-write');
  assert.equal(
    connectTarget('postgres://a:1,b:2/db?target_session_attrs=primary').options.target_session_attrs,
    undefined,
  );
});

test('the modes of TLS that verify do verify', () => {
  assert.deepEqual(connectTarget('postgres://h/db?sslmode=require').options.ssl, { rejectUnauthorized: false });
  assert.deepEqual(connectTarget('postgres://h/db?sslmode=verify-full').options.ssl, { rejectUnauthorized: true });
  assert.equal(connectTarget('postgres://h/db?sslmode=verify-full').url, 'postgres://h/db');
});
