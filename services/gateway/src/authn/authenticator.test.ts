import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { ApiError } from '@tidegate/status';
import { Authenticator } from './authenticator.ts';
import type { Connections, Peer } from './connections.ts';

test('a certificate that has expired proves nothing any more on a connection that was made while it did', async () => {
  const told: string[] = [];
  const asked = async (until: number) => {
    const peer: Peer = { kind: 'client', user: { name: 'ann', uid: '', groups: [], until } };
    const authenticator = new Authenticator({
      connections: { of: () => peer } as unknown as Connections,
      frontProxy: undefined,
      tokens: {} as never,
      anonymous: 'all',
      told: (why) => told.push(why),
    });
    return authenticator.authenticate({ url: '/livez', headers: {} } as IncomingMessage);
  };
  assert.equal((await asked(Date.now() + 60_000)).name, 'ann');
  await assert.rejects(asked(Date.now() - 1), (error: ApiError) => error instanceof ApiError && error.code === 401);
  assert.deepEqual(told, ['the client certificate has expired']);
});
