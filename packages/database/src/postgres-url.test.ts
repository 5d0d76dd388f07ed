import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectTarget } from './postgres-url.ts';

test('A plain URL is not changed, and requires a primary.', () => {
  const url = 'postgres://user:p%40ss@host:5432/db?application_name=x';
  assert.deepEqual(connectTarget(url), { url, options: { target_session_attrs: 'primary' } });
});

test('host= names the directory of a socket.', () => {
  assert.deepEqual(connectTarget('postgres://u:p@localhost:1/db?host=%2Ftmp%2Fx'), {
    url: 'postgres://u:p@localhost:1/db',
    options: { host: '/tmp/x', target_session_attrs: 'primary' },
  });
});

test('For several hosts a dialer finds the primary, and the driver sees one host at a time.', () => {
  const { url, options } = connectTarget('postgres://u:p@a:1,b:2/db?application_name=x');
  assert.equal(url, 'postgres://u:p@a:1/db?application_name=x');
  assert.equal(typeof options.socket, 'function');
});

for (const [attributes, meant] of [
  ['read-write', 'primary'],
  ['primary', 'primary'],
  ['any', undefined],
] as const) {
  test(`target_session_attrs=${attributes} is ${meant ?? 'not restricted'}`, () => {
    const { url, options } = connectTarget(`postgres://a:1/db?target_session_attrs=${attributes}`);
    assert.deepEqual([url, options.target_session_attrs], ['postgres://a:1/db', meant]);
  });
}

test('The modes of TLS that verify certificates do so.', () => {
  assert.deepEqual(connectTarget('postgres://h/db?sslmode=require').options.ssl, { rejectUnauthorized: false });
  assert.deepEqual(connectTarget('postgres://h/db?sslmode=verify-full').options.ssl, { rejectUnauthorized: true });
  assert.equal(connectTarget('postgres://h/db?sslmode=verify-full').url, 'postgres://h/db');
});
