import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { ask, type Backend, dial } from './backend.ts';

async function listening(speak: (socket: Socket) => void): Promise<{ server: Server; backend: Backend }> {
  const server = createServer((socket) => speak(socket.on('error', () => {})));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { server, backend: { address: '127.0.0.1', host: 'node-1', port, tls: undefined, connectMs: 60_000 } };
}

const call = { method: 'GET', path: '/', headers: ['Host', 'node-1'] };

describe('A connection to a backend', () => {
  test('fails after its timeout, TLS handshake included', async () => {
    const { server, backend } = await listening(() => {});
    const closed = once(server, 'connection').then(([socket]) => once(socket.resume(), 'close'));
    await assert.rejects(dial({ ...backend, tls: {}, connectMs: 50 }), {
      message: `dial tcp 127.0.0.1:${backend.port}: i/o timeout`,
    });
    await closed;
    server.close();
  });

  test('uses the checked address, whatever the name resolves to', async () => {
    const { server, backend } = await listening((socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'));
    const socket = await dial({ ...backend, host: 'no.such.name.invalid' });
    const { response } = await ask(socket, call, (body) => body.end());
    assert.equal(response.statusCode, 204);
    socket.destroy();
    server.close();
  });

  test('fails when it ends before the answer begins', async () => {
    const { server, backend } = await listening((socket) => socket.once('data', () => socket.end('HTTP/1.1 200')));
    const socket = await dial(backend);
    await assert.rejects(
      ask(socket, call, (body) => body.end()),
      /^DialError: EOF$|^Error: EOF$/,
    );
    assert.equal(socket.destroyed, true);
    server.close();
  });
});
