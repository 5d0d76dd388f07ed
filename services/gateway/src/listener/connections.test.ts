import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ClientHttp2Session, connect, createSecureServer, type Http2SecureServer } from 'node:http2';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { type TestAuthority, testAuthority, until } from '@tidegate/testkit';
import { Connections } from './connections.ts';

/** Only the test that exceeds the grace period must reach its end. */
const TIMES = { graceMs: 60_000, idleMs: 200 };

let authority: TestAuthority;
let pair: { cert: string; key: string };
const servers: Http2SecureServer[] = [];

before(async () => {
  authority = await testAuthority('servers');
  pair = await authority.leaf({ commonName: 'server', names: ['127.0.0.1'] });
});
after(() => {
  for (const server of servers) server.close();
});

/** A server that answers at once; after that many milliseconds if the path is a number; never at `/never`. */
async function listen() {
  const server = createSecureServer({ ...pair, allowHTTP1: true });
  servers.push(server);
  const served: string[] = [];
  const connections = new Connections(server);
  server.on('request', ({ url = '' }: IncomingMessage, response: ServerResponse) => {
    served.push(url);
    if (url !== '/never') setTimeout(() => response.end(url), Number(url.slice(1)) || 0);
  });
  server.on('upgrade', (_, socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: example\r\n\r\n'),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { connections, served, port, url: `https://127.0.0.1:${port}` };
}

interface Answered {
  readonly status: number;
  readonly connection: string | undefined;
}

function request1(url: string, agent: Agent): Promise<Answered> {
  return new Promise((resolve, reject) => {
    request(url, { agent, ca: authority.ca }, (response) => {
      const { statusCode: status = 0, headers } = response;
      response.resume().on('end', () => resolve({ status, connection: headers.connection }));
    })
      .on('error', reject)
      .end();
  });
}

async function request2(session: ClientHttp2Session, path: string): Promise<number> {
  const stream = session.request({ ':path': path });
  const [headers] = await once(stream, 'response');
  stream.resume();
  await once(stream, 'close');
  return Number(headers[':status']);
}

test('GOAWAY tells an HTTP/2 client the last request that is served', async () => {
  const { connections, served, url } = await listen();
  const session = connect(url, { ca: authority.ca });
  const lasts: number[] = [];
  session.on('goaway', (_, last) => lasts.push(last));
  const answers = [`/${TIMES.idleMs * 2}`, '/a', '/b'].map((path) => request2(session, path));
  await until('all requests to arrive', () => served.length === 3);
  const drained = connections.drain(TIMES);
  await until('GOAWAY', () => lasts.length === 1);
  assert.deepEqual(lasts, [5]);
  assert.deepEqual(await Promise.all(answers), [200, 200, 200]);
  await drained;
});

test('an idle HTTP/1.1 connection serves one more request during a drain, with Connection: close', async () => {
  const { connections, url } = await listen();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  assert.equal((await request1(url, agent)).connection, 'keep-alive');

  const drained = connections.drain({ ...TIMES, idleMs: 50_000 });
  await assert.rejects(request1(url, new Agent()), { code: 'ECONNREFUSED' });
  assert.deepEqual(await request1(url, agent), { status: 200, connection: 'close' });
  await drained;
});

test('a drain answers pending requests, closes idle connections and accepts no new ones', async () => {
  const { connections, served, url } = await listen();
  const [idle, busy] = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })];
  await request1(url, idle);
  const late = request1(`${url}/${TIMES.idleMs * 2}`, busy);
  await until('the request to arrive', () => served.length === 2);

  const begun = performance.now();
  const drained = connections.drain(TIMES);
  await until('the idle connection to close', () => Object.keys(idle.freeSockets).length === 0);
  await assert.rejects(request1(url, idle), { code: 'ECONNREFUSED' });
  assert.deepEqual(await late, { status: 200, connection: 'close' });
  await drained;
  assert.ok(performance.now() - begun < TIMES.graceMs, 'nothing was cut off');
});

test('requests that exceed the grace period are cut off', async () => {
  const { connections, served, url } = await listen();
  const cut = request1(`${url}/never`, new Agent());
  await until('the request to arrive', () => served.length === 1);
  const drained = connections.drain({ ...TIMES, graceMs: 2 * TIMES.idleMs });
  await Promise.all([drained, assert.rejects(cut, { code: 'ECONNRESET' })]);
});

test('an upgraded connection is closed after all requests have ended', async () => {
  const { connections, served, url } = await listen();
  const headers = { Connection: 'Upgrade', Upgrade: 'example' };
  const [, upgraded] = await once(request(url, { headers, ca: authority.ca }).end(), 'upgrade');
  const ended = once(upgraded.resume(), 'end');
  const late = request1(`${url}/${TIMES.idleMs * 2}`, new Agent());
  await until('the request to arrive', () => served.length === 1);

  const drained = connections.drain(TIMES);
  await late;
  assert.equal(upgraded.destroyed, false);
  await Promise.all([drained, ended]);
});
