import assert from 'node:assert/strict';
import { on, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { WebSocket } from 'ws';
import { type Client, configMap, MAPS } from './support/client.ts';
import type { RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

describe('Watches over WebSockets', () => {
  let system: RunningSystem;
  let client: Client;
  before(async () => {
    system = await sharedSystem();
    client = system.client;
  });
  after(() => system.stop());

  /** the received messages */
  const messages = new WeakMap<WebSocket, NodeJS.AsyncIterator<unknown[]>>();
  const open = (path: string, protocols: string[] = [], token = system.tidegate.token) => {
    const socket = new WebSocket(`${system.tidegate.server.replace('https', 'wss')}${path}`, protocols, {
      ca: readFileSync(system.tidegate.caFile),
      headers: token === '' ? {} : { Authorization: `Bearer ${token}` },
    });
    messages.set(socket, on(socket, 'message', { signal: AbortSignal.timeout(20_000) }));
    return socket;
  };

  async function next(socket: WebSocket): Promise<{ type: string; object: { metadata: { name: string } } }> {
    const { value } = await (messages.get(socket) as NodeJS.AsyncIterator<unknown[]>).next();
    const [data, isBinary] = value as [Buffer, boolean];
    assert.equal(isBinary, false);
    return JSON.parse(data.toString());
  }

  test('A watch sends the state and then each change, with one message for each event.', async () => {
    await client.request('POST', MAPS, { body: configMap('there') });
    const socket = open(`${MAPS}?watch=1`);
    const first = await next(socket);
    assert.deepEqual([first.type, first.object.metadata.name], ['ADDED', 'there']);
    await client.request('POST', MAPS, { body: configMap('new') });
    const second = await next(socket);
    assert.deepEqual([second.type, second.object.metadata.name], ['ADDED', 'new']);
    await client.request('DELETE', `${MAPS}/there`);
    assert.equal((await next(socket)).type, 'DELETED');
    socket.close();
  });

  test('A token is accepted as a subprotocol, as browsers send it, and another subprotocol is selected.', async () => {
    const bearer = `base64url.bearer.authorization.k8s.io.${Buffer.from(system.tidegate.token).toString('base64url')}`;
    const socket = open(`${MAPS}?watch=1&resourceVersion=0`, [bearer, 'base64.binary.k8s.io'], '');
    await next(socket);
    assert.equal(socket.protocol, 'base64.binary.k8s.io');
    socket.close();
  });

  test('A watch ends with a normal closure at its timeout.', async () => {
    const socket = open(`${MAPS}?watch=1&timeoutSeconds=1`);
    const [code] = (await once(socket, 'close')) as [number];
    assert.equal(code, 1000);
  });

  for (const [what, path, token, code] of [
    ['without credentials', `${MAPS}?watch=1`, '', 401],
    ['a wrong token', `${MAPS}?watch=1`, 'guessed', 401],
    ['what is no watch', MAPS, undefined, 400],
    ['a resource that is not there', '/api/v1/namespaces/default/unicorns?watch=1', undefined, 404],
    ['a path that cannot be read', '/api/v1/namespaces/%zz/configmaps?watch=1', undefined, 404],
    ['a malformed version', `${MAPS}?watch=1&resourceVersion=x`, undefined, 400],
  ] as const) {
    test(`An invalid request is rejected with an HTTP answer: ${what}.`, async () => {
      const socket = open(path, [], token ?? system.tidegate.token);
      socket.on('error', () => {});
      const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
      assert.equal(response.statusCode, code);
      socket.terminate();
    });
  }
});
