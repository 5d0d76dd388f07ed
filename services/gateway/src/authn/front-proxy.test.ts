import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { FrontProxyHeaders } from './front-proxy.ts';

const config = {
  requestheaderUsernameHeaders: ['X-Remote-User', 'X-Who'],
  requestheaderUidHeaders: ['X-Remote-Uid'],
  requestheaderGroupHeaders: ['X-Remote-Group'],
  requestheaderExtraHeadersPrefix: ['X-Remote-Extra-'],
};

function requestWith(...rawHeaders: string[]): IncomingMessage {
  const names = rawHeaders.filter((_, i) => i % 2 === 0).map((name) => [name.toLowerCase(), '']);
  return { headers: Object.fromEntries(names), rawHeaders } as unknown as IncomingMessage;
}

function said(...rawHeaders: string[]) {
  const headers = new FrontProxyHeaders(config);
  return headers.user(headers.take(requestWith(...rawHeaders)));
}

test('a front proxy passes all attributes of a user', () => {
  const extra = ['X-Remote-Extra-Example.com%2fScopes', 'a', 'x-remote-extra-example.com%2fscopes', 'b'];
  assert.deepEqual(
    said(
      'x-remote-user',
      'J\u00c3\u00bcrgen',
      'X-Remote-Uid',
      '7',
      'X-Remote-Group',
      'a',
      'x-remote-group',
      'b',
      ...extra,
    ),
    {
      name: 'Jürgen',
      uid: '7',
      groups: ['a', 'b', 'system:authenticated'],
      extra: { 'example.com/scopes': ['a', 'b'] },
    },
  );
});

test('headers of a second name are read as well, and empty ones are ignored', () => {
  assert.deepEqual(said('X-Remote-User', '', 'X-Who', 'ann'), {
    name: 'ann',
    uid: '',
    groups: ['system:authenticated'],
  });
  assert.equal(said('X-Remote-Group', 'system:masters'), undefined);
});

test('two users or two uids are ambiguous', () => {
  assert.equal(said('X-Remote-User', 'ann', 'X-Remote-User', 'bob'), 'ambiguous');
  assert.equal(said('X-Remote-User', 'ann', 'X-Who', 'bob'), 'ambiguous');
  assert.equal(said('X-Remote-User', 'ann', 'X-Remote-Uid', '1', 'X-Remote-Uid', '2'), 'ambiguous');
});

test('the identity headers are removed from the request, and no others', () => {
  const request = requestWith(
    'Accept',
    'a',
    'x-REMOTE-user',
    'ann',
    'X-Remote-Extra-__proto__',
    'p',
    'X-Remote-Users',
    'kept',
  );
  const headers = new FrontProxyHeaders(config);
  const user = headers.user(headers.take(request));
  assert.ok(typeof user === 'object' && Object.hasOwn(user.extra ?? {}, '__proto__'));
  assert.deepEqual(request.rawHeaders, ['Accept', 'a', 'X-Remote-Users', 'kept']);
  assert.deepEqual(Object.keys(request.headers), ['accept', 'x-remote-users']);
});

test('an invalid header name is refused', () => {
  assert.throws(
    () => new FrontProxyHeaders({ ...config, requestheaderUidHeaders: ['X Uid'] }),
    /--requestheader-uid-headers: "X Uid" is not a valid header name/,
  );
});
