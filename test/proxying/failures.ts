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
import { NODES, type Place, PODS } from './place.ts';

/** A back end that says what a test says, to whoever connects. */
async function rawServer(speak: (socket: Socket) => void): Promise<Server & { port: number }> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => speak(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(server, { port: (server.address() as { port: number }).port });
}

export function failures(placeOf: () => Place): void {
  describe('A back end that fails', () => {
    let place: Place;
    const through = (port: number) => `${PODS}/raw:${port}/proxy/x`;
    const trouble = (words: string) => [503, 'ServiceUnavailable', `error trying to reach service: ${words}`];

    before(async () => {
      place = placeOf();
      await place.pod('raw', { node: 'plain', ip: '127.0.0.1' });
    });

    async function told(port: number): Promise<unknown[]> {
      const { code, json } = await place.client.get(through(port));
      return [code, json?.reason, json?.message];
    }

    test('is told in a Status when it refuses, cuts, or speaks no HTTP', async () => {
      const { port } = await closedPort();
      assert.deepEqual(await told(port), trouble(`dial tcp 127.0.0.1:${port}: connect: connection refused`));
      const silent = await rawServer((socket) => socket.destroy());
      assert.deepEqual(await told(silent.port), trouble('EOF'));
      const odd = await rawServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
      assert.match(String((await told(odd.port))[2]), /^error trying to reach service: Parse Error/);
      const wordy = await rawServer((socket) => {
        socket.end(`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(1 << 20)}\r\n\r\n`);
      });
      assert.match(String((await told(wordy.port))[2]), /^error trying to reach service: Parse Error: Header overflow/);
      const eager = await rawServer((socket) => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n');
      });
      assert.deepEqual(await told(eager.port), trouble('it switched protocols, and was not asked to'));
      for (const server of [silent, odd, wordy, eager]) server.close();
    });

    test('is told in a Status also to a client with much to say', async () => {
      const { port } = await closedPort();
      const body = Buffer.alloc(8 << 20, 'b');
      assert.equal((await place.client.ask('PUT', through(port), { body })).code, 503);
      const { server, caFile } = place.system.tidegate;
      const session = connectHttp2(server, { ca: readFileSync(caFile) });
      const stream = session.request({ ':method': 'PUT', ':path': through(port), authorization: `Bearer ${token()}` });
      stream.end(body);
      const [headers] = await once(stream, 'response');
      assert.equal(headers[':status'], 503);
      stream.close();
      session.close();
    });

    test('is told in a Status over TLS, too', async () => {
      const { code, json } = await place.client.get(`${PODS}/https:raw:${place.app.port}/proxy/x`);
      assert.deepEqual([code, json.reason], [503, 'ServiceUnavailable']);
      assert.match(json.message, /^error trying to reach service: tls: (first record|handshake failure)/);
    });

    test('in the middle of an answer is seen in the middle of it', async () => {
      const half = await rawServer((socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf');
        setImmediate(() => socket.destroy());
      });
      await assert.rejects(place.client.get(through(half.port)), /aborted|ECONNRESET|hang up/);
      const { server, token, caFile } = place.system.tidegate;
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

    test('is let go when the client goes before its answer', async () => {
      const connected: Socket[] = [];
      const hanging = await rawServer((socket) => connected.push(socket));
      const client = await rawClient();
      client.write(`GET ${through(hanging.port)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token()}\r\n\r\n`);
      const socket = await until('the back end to be asked', () => connected[0]);
      client.destroy();
      await once(socket, 'close');
      hanging.close();
    });

    const token = () => place.system.tidegate.token;

    async function rawClient(): Promise<TLSSocket> {
      const { hostname: host, port } = new URL(place.system.tidegate.server);
      const socket = connect({
        host,
        port: Number(port),
        ca: readFileSync(place.system.tidegate.caFile),
        ALPNProtocols: ['http/1.1'],
      });
      socket.on('error', () => {});
      await once(socket, 'secureConnect');
      return socket;
    }

    /** Asks for an upgrade and at once for more; answers all that comes until the connection is closed. */
    async function upgradeAndMore(path: string, more: string): Promise<string> {
      const client = await rawClient();
      let said = '';
      client.setEncoding('utf8').on('data', (part: string) => {
        said += part;
        if (said.includes('\r\n\r\n')) client.write(more);
      });
      const closed = new Promise((resolve) => client.once('close', resolve));
      client.write(
        `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token()}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
          'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
      );
      await closed;
      return said;
    }

    for (const [what, answer, code] of [
      ['refuses', 'HTTP/1.1 403 Forbidden\r\nContent-Length: 7\r\nX-Why: so\r\n\r\nnot you', 403],
      ['redirects', 'HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n', 500],
      ['ignores', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', 500],
    ] as const) {
      test(`and ${what} an upgrade hears no more of this client`, async () => {
        const heard: string[] = [];
        const server = await rawServer(() => {});
        server.on('connection', (socket: Socket) => {
          socket.on('data', (data) => {
            heard.push(data.toString('latin1'));
            socket.write(answer);
          });
        });
        const said = await upgradeAndMore(through(server.port), 'GET /secret HTTP/1.1\r\nHost: x\r\n\r\n');
        assert.match(said, new RegExp(`^HTTP/1.1 ${code} `));
        assert.equal(said.split('HTTP/1.1 ').length, 2, said);
        if (code === 500) assert.match(said, /invalid upgrade response: status code (302|200)/);
        else assert.match(said, /X-Why: so\r\n.*not you$/s);
        assert.equal(heard.join('').includes('/secret'), false);
        server.close();
      });
    }

    describe('behind a pod’s stream', () => {
      const upgrades: Array<{ request: IncomingMessage; socket: Duplex }> = [];
      before(async () => {
        await place.pod('shy', { node: 'plain' });
        place.kubelet.server.on('upgrade', (request, socket) => {
          upgrades.push({ request, socket });
          socket.on('error', () => {});
        });
      });

      /** What a client sends to open one, and the kubelet's side of it. */
      async function opened(
        client: TLSSocket,
        protocol: string,
      ): Promise<{ request: IncomingMessage; socket: Duplex }> {
        const seen = upgrades.length;
        client.write(
          `GET ${PODS}/shy/exec?command=true&stdout=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token()}\r\n` +
            'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n' +
            `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: ${protocol}\r\nImpersonate-User: root\r\n` +
            'Impersonate-Group: system:masters\r\n' +
            'X-Remote-User: root\r\nCookie: a=b\r\n\r\n',
        );
        return until('the kubelet to be asked', () => upgrades[seen]);
      }

      for (const [protocol, expected] of [
        [
          'v4.channel.k8s.io',
          'cookie connection host sec-websocket-key sec-websocket-protocol sec-websocket-version upgrade x-forwarded-for',
        ],
        ['v5.channel.k8s.io', 'connection content-length host upgrade x-stream-protocol-version'],
      ]) {
        test(`is not told who the client of ${protocol} is, and is let go when it goes`, async () => {
          const client = await rawClient();
          const { request, socket } = await opened(client, protocol as string);
          assert.equal(request.url, '/exec/default/shy/main?command=true&output=1');
          assert.equal(
            Object.keys(request.headers).sort().join(' '),
            [...(expected as string).split(' ')].sort().join(' '),
          );
          // it has not answered yet
          const closed = new Promise((resolve) => socket.resume().once('close', resolve));
          client.end();
          await closed;
        });
      }
    });

    test('with a certificate of somebody else is no kubelet, unless the client says that it does not mind', async () => {
      const { certFile, keyFile } = place.certificates.serving;
      const secured = { cert: readFileSync(certFile), key: readFileSync(keyFile), ca: readFileSync(certFile) };
      const stranger = await new BackEndServer(secured).listen();
      stranger.on('/containerLogs/default/trusting/main', (_request, response) => response.end('whatever'));
      await place.node('stranger', stranger.port);
      await place.pod('trusting', { node: 'stranger' });
      const refused = await place.client.get(`${PODS}/trusting/log`);
      assert.deepEqual([refused.code, stranger.received.length], [500, 0]);
      assert.match(refused.json.message, /: tls: failed to verify certificate: x509: /);
      const taken = await place.client.get(`${PODS}/trusting/log?insecureSkipTLSVerifyBackend=true`);
      assert.equal(taken.text, 'whatever');
      stranger.stop();
    });

    test('is never one that listens beside this server', async () => {
      for (const [name, ip] of [
        ['meta', '169.254.169.254'],
        ['six', 'fe80::1'],
        ['loop', '::1'],
      ] as const) {
        await place.pod(name, { node: 'plain', ip });
        const { code, json } = await place.client.get(`${PODS}/${name}:80/proxy/`);
        assert.deepEqual([code, json.message], [400, 'address not allowed']);
      }
      await place.node('link', 80, '169.254.169.254');
      assert.deepEqual((await place.client.get(`${NODES}/link/proxy/`)).json.message, 'address not allowed');
    });

    test('leaves no connection behind', async () => {
      for (const server of [place.app, place.secureApp, place.kubelet]) await server.left();
    });
  });
}
