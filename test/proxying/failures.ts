import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { type ClientHttp2Stream, connect as connectHttp2 } from 'node:http2';
import { createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { before, describe, test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { until } from '@tidegate/testkit';
import { BackEndServer } from '../support/back-end-server.ts';
import { closedPort } from './logs.ts';
import { NODES, PODS, type ProxySetup } from './proxy-setup.ts';

/** A TCP server whose behaviour a test defines. */
async function rawServer(speak: (socket: Socket) => void): Promise<Server & { port: number }> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => speak(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(server, { port: (server.address() as { port: number }).port });
}

export function failures(setupOf: () => ProxySetup): void {
  describe('Failures of back ends', () => {
    let setup: ProxySetup;
    const through = (port: number) => `${PODS}/raw:${port}/proxy/x`;
    const unreachable = (words: string) => [503, 'ServiceUnavailable', `error trying to reach service: ${words}`];

    before(async () => {
      setup = setupOf();
      await setup.pod('raw', { node: 'plain', ip: '127.0.0.1' });
    });

    async function errorOf(port: number): Promise<unknown[]> {
      const { code, json } = await setup.client.get(through(port));
      return [code, json?.reason, json?.message];
    }

    test('Refused, closed and non-HTTP connections are reported in a Status.', async () => {
      const { port } = await closedPort();
      assert.deepEqual(await errorOf(port), unreachable(`dial tcp 127.0.0.1:${port}: connect: connection refused`));
      const silent = await rawServer((socket) => socket.destroy());
      assert.deepEqual(await errorOf(silent.port), unreachable('EOF'));
      const odd = await rawServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
      assert.match(String((await errorOf(odd.port))[2]), /^error trying to reach service: Parse Error/);
      const wordy = await rawServer((socket) => {
        socket.end(`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(1 << 20)}\r\n\r\n`);
      });
      assert.match(
        String((await errorOf(wordy.port))[2]),
        /^error trying to reach service: Parse Error: Header overflow/,
      );
      const eager = await rawServer((socket) => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n');
      });
      assert.deepEqual(await errorOf(eager.port), unreachable('it switched protocols, and was not asked to'));
      for (const server of [silent, odd, wordy, eager]) server.close();
    });

    test('The Status is also sent to a client with a large body.', async () => {
      const { port } = await closedPort();
      const body = Buffer.alloc(8 << 20, 'b');
      assert.equal((await setup.client.request('PUT', through(port), { body })).code, 503);
      const { server, caFile } = setup.system.tidegate;
      const session = connectHttp2(server, { ca: readFileSync(caFile) });
      const stream = session.request({ ':method': 'PUT', ':path': through(port), authorization: `Bearer ${token()}` });
      stream.end(body);
      const [headers] = await once(stream, 'response');
      assert.equal(headers[':status'], 503);
      stream.close();
      session.close();
    });

    test('A failed TLS handshake is reported in a Status.', async () => {
      const { code, json } = await setup.client.get(`${PODS}/https:raw:${setup.app.port}/proxy/x`);
      assert.deepEqual([code, json.reason], [503, 'ServiceUnavailable']);
      assert.match(json.message, /^error trying to reach service: tls: (first record|handshake failure)/);
    });

    test('A connection that breaks during an answer aborts the answer to the client.', async () => {
      const half = await rawServer((socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf');
        setImmediate(() => socket.destroy());
      });
      await assert.rejects(setup.client.get(through(half.port)), /aborted|ECONNRESET|hang up/);
      const { server, token, caFile } = setup.system.tidegate;
      const session = connectHttp2(server, { ca: readFileSync(caFile) });
      const stream: ClientHttp2Stream = session.request({
        ':path': through(half.port),
        authorization: `Bearer ${token}`,
      });
      stream.resume();
      await assert.rejects(once(stream, 'end'), /INTERNAL_ERROR/);
      session.close();
      half.close();
    });

    test('The connection to a back end is closed when the client disconnects before the answer.', async () => {
      const connected: Socket[] = [];
      const hanging = await rawServer((socket) => connected.push(socket));
      const client = await rawClient();
      client.write(`GET ${through(hanging.port)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token()}\r\n\r\n`);
      const socket = await until('the request at the back end', () => connected[0]);
      client.destroy();
      await once(socket, 'close');
      hanging.close();
    });

    const token = () => setup.system.tidegate.token;

    async function rawClient(): Promise<TLSSocket> {
      const { hostname: host, port } = new URL(setup.system.tidegate.server);
      const socket = connect({
        host,
        port: Number(port),
        ca: readFileSync(setup.system.tidegate.caFile),
        ALPNProtocols: ['http/1.1'],
      });
      socket.on('error', () => {});
      await once(socket, 'secureConnect');
      return socket;
    }

    /** Requests an upgrade and sends more after the answer; returns everything received until the connection is closed. */
    async function upgradeAndMore(path: string, more: string): Promise<string> {
      const client = await rawClient();
      let received = '';
      client.setEncoding('utf8').on('data', (part: string) => {
        received += part;
        if (received.includes('\r\n\r\n')) client.write(more);
      });
      const closed = new Promise((resolve) => client.once('close', resolve));
      client.write(
        `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token()}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
          'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
      );
      await closed;
      return received;
    }

    for (const [what, answer, code] of [
      ['rejects', 'HTTP/1.1 403 Forbidden\r\nContent-Length: 7\r\nX-Why: so\r\n\r\nnot you', 403],
      ['redirects', 'HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n', 500],
      ['ignores', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', 500],
    ] as const) {
      test(`A back end that ${what} an upgrade receives nothing more from the client.`, async () => {
        const requests: string[] = [];
        const server = await rawServer(() => {});
        server.on('connection', (socket: Socket) => {
          socket.on('data', (data) => {
            requests.push(data.toString('latin1'));
            socket.write(answer);
          });
        });
        const received = await upgradeAndMore(through(server.port), 'GET /secret HTTP/1.1\r\nHost: x\r\n\r\n');
        assert.match(received, new RegExp(`^HTTP/1.1 ${code} `));
        assert.equal(received.split('HTTP/1.1 ').length, 2, received);
        if (code === 500) assert.match(received, /invalid upgrade response: status code (302|200)/);
        else assert.match(received, /X-Why: so\r\n.*not you$/s);
        assert.equal(requests.join('').includes('/secret'), false);
        server.close();
      });
    }

    describe('Streams of pods', () => {
      const upgrades: Array<{ request: IncomingMessage; socket: Duplex }> = [];
      before(async () => {
        await setup.pod('shy', { node: 'plain' });
        setup.kubelet.server.on('upgrade', (request, socket) => {
          upgrades.push({ request, socket });
          socket.on('error', () => {});
        });
      });

      /** Sends the request for a stream; returns the kubelet's side. */
      async function opened(
        client: TLSSocket,
        protocol: string,
      ): Promise<{ request: IncomingMessage; socket: Duplex }> {
        const before = upgrades.length;
        client.write(
          `GET ${PODS}/shy/exec?command=true&stdout=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token()}\r\n` +
            'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n' +
            `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: ${protocol}\r\nImpersonate-User: root\r\n` +
            'Impersonate-Group: system:masters\r\n' +
            'X-Remote-User: root\r\nCookie: a=b\r\n\r\n',
        );
        return until('the request at the kubelet', () => upgrades[before]);
      }

      for (const [protocol, expected] of [
        [
          'v4.channel.k8s.io',
          'cookie connection host sec-websocket-key sec-websocket-protocol sec-websocket-version upgrade x-forwarded-for',
        ],
        ['v5.channel.k8s.io', 'connection content-length host upgrade x-stream-protocol-version'],
      ]) {
        test(`The kubelet receives no identity of a client of ${protocol}, and is disconnected with the client.`, async () => {
          const client = await rawClient();
          const { request, socket } = await opened(client, protocol as string);
          assert.equal(request.url, '/exec/default/shy/main?command=true&output=1');
          assert.equal(
            Object.keys(request.headers).sort().join(' '),
            [...(expected as string).split(' ')].sort().join(' '),
          );
          // the kubelet has not answered yet
          const closed = new Promise((resolve) => socket.resume().once('close', resolve));
          client.end();
          await closed;
        });
      }
    });

    test('A kubelet with a foreign certificate is rejected, unless the client sets insecureSkipTLSVerifyBackend.', async () => {
      const { certFile, keyFile } = setup.certificates.serving;
      const secured = { cert: readFileSync(certFile), key: readFileSync(keyFile), ca: readFileSync(certFile) };
      const impostor = await new BackEndServer(secured).listen();
      impostor.on('/containerLogs/default/trusting/main', (_request, response) => response.end('whatever'));
      await setup.node('impostor', impostor.port);
      await setup.pod('trusting', { node: 'impostor' });
      const rejected = await setup.client.get(`${PODS}/trusting/log`);
      assert.deepEqual([rejected.code, impostor.received.length], [500, 0]);
      assert.match(rejected.json.message, /: tls: failed to verify certificate: x509: /);
      const accepted = await setup.client.get(`${PODS}/trusting/log?insecureSkipTLSVerifyBackend=true`);
      assert.equal(accepted.text, 'whatever');
      impostor.stop();
    });

    test('Loopback and link-local addresses are not allowed.', async () => {
      for (const [name, ip] of [
        ['meta', '169.254.169.254'],
        ['six', 'fe80::1'],
        ['loop', '::1'],
      ] as const) {
        await setup.pod(name, { node: 'plain', ip });
        const { code, json } = await setup.client.get(`${PODS}/${name}:80/proxy/`);
        assert.deepEqual([code, json.message], [400, 'address not allowed']);
      }
      await setup.node('link', 80, '169.254.169.254');
      assert.deepEqual((await setup.client.get(`${NODES}/link/proxy/`)).json.message, 'address not allowed');
    });

    test('All connections to back ends are closed.', async () => {
      for (const server of [setup.app, setup.secureApp, setup.kubelet]) await server.allClosed();
    });
  });
}
