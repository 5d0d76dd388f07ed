import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ClientHttp2Session, connect, createSecureServer, type Http2SecureServer } from 'node:http2';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { type TestAuthority, testAuthority, until } from '@tidegate/testkit';
import { Connections } from './connections.ts';

const TIMES = { graceMs: 3000, idleMs: 200 };

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

/** A server that answers at once, after so many milliseconds where the path is a number, and never at `/never`. */
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
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: talk\r\n\r\n'),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { connections, served, port, url: `https://127.0.0.1:${port}` };
}

interface Asked {
  readonly status: number;
  readonly connection: string | undefined;
}

function ask1(url: string, agent: Agent): Promise<Asked> {
  return new Promise((resolve, reject) => {
    request(url, { agent, ca: authority.ca }, (response) => {
      const { statusCode: status = 0, headers } = response;
      response.resume().on('end', () => resolve({ status, connection: headers.connection }));
    })
      .on('error', reject)
      .end();
  });
}

async function ask2(session: ClientHttp2Session, path: string): Promise<number> {
  const stream = session.request({ ':path': path });
  const [headers] = await once(stream, 'response');
  stream.resume();
  await once(stream, 'close');
  return Number(headers[':status']);
}

test('a client of HTTP/2 hears which of its requests is the last that is served', async () => {
  const { connections, served, url } = await listen();
  const session = connect(url, { ca: authority.ca });
  const lasts: number[] = [];
  session.on('goaway', (_, last) => lasts.push(last));
  const answers = [`/${TIMES.idleMs * 2}`, '/a', '/b'].map((path) => ask2(session, path));
  await until('all to be asked', () => served.length === 3);
  const drained = connections.drain(TIMES);
  await until('the goodbye', () => lasts.length === 1);
  assert.deepEqual(lasts, [5]);
  assert.deepEqual(await Promise.all(answers), [200, 200, 200]);
  await drained;
});

test('a connection of HTTP/1.1 that is idle is good for one more request, which is told that it was the last', async () => {
  const { connections, url } = await listen();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  assert.equal((await ask1(url, agent)).connection, 'keep-alive');

  const drained = connections.drain(TIMES);
  await new Promise((resolve) => setTimeout(resolve, TIMES.idleMs / 2));
  assert.deepEqual(await ask1(url, agent), { status: 200, connection: 'close' });
  await drained;
});

test('what is asked is answered; what is idle is closed, and nothing new let in', async () => {
  const { connections, served, url } = await listen();
  const [idle, busy] = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })];
  await ask1(url, idle);
  const late = ask1(`${url}/${TIMES.idleMs * 2}`, busy);
  await until('it to be asked', () => served.length === 2);

  const begun = performance.now();
  const patient = { ...TIMES, graceMs: 60_000 };
  const drained = connections.drain(patient);
  await until('the idle one to be closed', () => Object.keys(idle.freeSockets).length === 0);
  await assert.rejects(ask1(url, idle), { code: 'ECONNREFUSED' });
  assert.deepEqual(await late, { status: 200, connection: 'close' });
  await drained;
  assert.ok(performance.now() - begun < patient.graceMs, 'nothing was cut off');
});

test('what takes too long is cut off', async () => {
  const { connections, served, url } = await listen();
  const cut = ask1(`${url}/never`, new Agent());
  await until('it to be asked', () => served.length === 1);
  await Promise.all([connections.drain(TIMES), assert.rejects(cut, { code: 'ECONNRESET' })]);
});

test('a talk ends when everything else has', async () => {
  const { connections, served, url } = await listen();
  const headers = { Connection: 'Upgrade', Upgrade: 'talk' };
  const [, talk] = await once(request(url, { headers, ca: authority.ca }).end(), 'upgrade');
  const ended = once(talk.resume(), 'end');
  const late = ask1(`${url}/${TIMES.idleMs * 2}`, new Agent());
  await until('it to be asked', () => served.length === 1);

  const drained = connections.drain(TIMES);
  await late;
  assert.equal(talk.destroyed, false);
  await Promise.all([drained, ended]);
});
