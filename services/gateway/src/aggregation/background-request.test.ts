import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { test } from 'node:test';
import type { Backend } from '../proxy/backend.ts';
import { requestInBackground } from './background-request.ts';

async function listening(speak: (socket: Socket) => void): Promise<{ server: Server; backend: Backend }> {
  const server = createServer((socket) => speak(socket.on('error', () => {})));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { server, backend: { address: '127.0.0.1', host: 'fruit.a.svc', port, tls: undefined, connectMs: 1 } };
}

const request = { path: '/apis', headers: ['Accept', 'application/json'], timeoutMs: 60_000, mostBytes: 100 };

test('the whole answer is read, and the connection is closed', async () => {
  let asked = '';
  const { server, backend } = await listening((socket) => {
    socket.once('data', (data) => {
      asked = String(data);
      socket.write('HTTP/1.1 200 OK\r\nETag: "a"\r\nContent-Length: 2\r\n\r\n{}');
    });
  });
  const { code, headers, body } = await requestInBackground(backend, request);
  assert.deepEqual([code, headers.etag, String(body)], [200, '"a"', '{}']);
  assert.match(asked, new RegExp(`^GET /apis HTTP/1.1\r\nHost: fruit.a.svc:${backend.port}\r\n`));
  server.close();
  await once(server, 'close');
});

test('a missing or incomplete answer fails after the timeout', async () => {
  for (const said of ['', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}']) {
    const { server, backend } = await listening((socket) => socket.once('data', () => socket.write(said)));
    await assert.rejects(requestInBackground(backend, { ...request, timeoutMs: 50 }), {
      message: 'context deadline exceeded',
    });
    server.close();
    await once(server, 'close');
  }
});

test('an answer above the limit is a failure', async () => {
  const { server, backend } = await listening((socket) => {
    socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\n\r\n${'a'.repeat(200)}`));
  });
  await assert.rejects(requestInBackground(backend, request), /larger than 100 bytes/);
  server.close();
  await once(server, 'close');
});
