import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { ApiError } from '@tidegate/status';
import { Authenticator } from './authenticator.ts';
import type { Connections, Peer } from './connections.ts';

test('an expired certificate is rejected also on a connection that was opened before it expired', async () => {
  const reported: string[] = [];
  const asked = async (until: number) => {
    const peer: Peer = { kind: 'client', user: { name: 'ann', uid: '', groups: [], until } };
    const authenticator = new Authenticator({
      connections: { of: () => peer } as unknown as Connections,
      frontProxy: undefined,
      tokens: {} as never,
      anonymous: 'all',
      onRefusal: (why) => reported.push(why),
    });
    return authenticator.authenticate({ url: '/livez', headers: {} } as IncomingMessage);
  };
  assert.equal((await asked(Date.now() + 60_000)).name, 'ann');
  await assert.rejects(asked(Date.now() - 1), (error: ApiError) => error instanceof ApiError && error.code === 401);
  assert.deepEqual(reported, ['the client certificate has expired']);
});

test('the sender of a request is never taken from the headers of a front proxy, which stay on the request', async () => {
  const taken: string[] = [];
  const asking = (peer: Peer, headers: Record<string, string>) => {
    const authenticator = new Authenticator({
      connections: { of: () => peer } as unknown as Connections,
      frontProxy: { take: () => taken.push('taken') } as never,
      tokens: { cachedUser: () => ({ name: 'bob', uid: '', groups: [] }) } as never,
      anonymous: 'all',
      onRefusal: () => {},
    });
    return authenticator.sender({ url: '/', headers } as unknown as IncomingMessage);
  };
  const ann = { name: 'ann', uid: '', groups: [] };
  const headers = { 'x-remote-user': 'carol', authorization: `Bearer ${'b'.repeat(20)}` };
  assert.equal(await asking({ kind: 'front-proxy' }, headers), undefined);
  assert.equal((await asking({ kind: 'client', user: ann }, headers))?.name, 'ann');
  assert.equal((await asking({ kind: 'none' }, headers))?.name, 'bob');
  assert.equal(await asking({ kind: 'none' }, {}), undefined);
  assert.deepEqual(taken, []);
});
