import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { type ClientHttp2Session, connect, constants, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { UNAUTHENTICATED } from '../request/user.ts';
import { ConnectionLimits } from './connection-limits.ts';
import { Http2Sessions } from './http2-sessions.ts';

const REQUESTS = 3;

/** The status codes of requests on one connection, and whether the server sent GOAWAY. */
async function requestsOf({ goAwayChance, groups }: { goAwayChance: number; groups: readonly string[] }) {
  const server = createServer((request, response) => {
    sessions.setUser(request, { name: 'ann', groups });
    response.end();
  });
  const sessions = new Http2Sessions(server, { goAwayChance });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  let hasGoaway = false;
  client.on('goaway', () => {
    hasGoaway = true;
  });
  const codes: number[] = [];
  while (codes.length < REQUESTS && !client.closed) {
    const stream = client.request({ ':path': '/' });
    const [headers] = await once(stream, 'response');
    codes.push(Number(headers[':status']));
    await once(stream.resume(), 'close');
    await pingAnswered(client);
  }
  client.close();
  server.close();
  return { codes, hasGoaway };
}

/** Frames arrive in order, so a GOAWAY that was sent before has arrived, too. */
function pingAnswered(client: ClientHttp2Session): Promise<void> {
  return new Promise((resolve) => {
    if (client.destroyed || !client.ping(() => resolve())) resolve();
  });
}

const ANN = ['system:authenticated'];

test('GOAWAY is sent at random, and the request at hand is still answered', async () => {
  assert.deepEqual(await requestsOf({ goAwayChance: 1, groups: ANN }), { codes: [200], hasGoaway: true });
  assert.deepEqual(await requestsOf({ goAwayChance: 0, groups: ANN }), { codes: [200, 200, 200], hasGoaway: false });
});

test('an unauthenticated connection serves only the requests that have begun', async () => {
  const groups = [UNAUTHENTICATED];
  assert.deepEqual(await requestsOf({ goAwayChance: 0, groups }), { codes: [200], hasGoaway: true });
});

test('the GOAWAY chance is at most one in fifty', () => {
  for (const goawayChance of [-0.001, 0.021, Number.NaN]) {
    const config = { maxConnections: 0, maxConnectionsPerAddress: 0, goawayChance };
    assert.throws(
      () => new ConnectionLimits(Object.assign(new EventEmitter(), { maxConnections: 0 }), config, () => {}),
      {
        message: `--goaway-chance must be between 0 and 0.02, not ${goawayChance}`,
      },
    );
  }
});

test('the reset limit of a user holds across connections, and does not affect other users', async (t) => {
  let now = 0;
  let user = 'ann';
  const seen = { begun: 0, reset: 0 };
  const server = createServer((request) => {
    seen.begun++;
    request.stream.on('close', () => seen.reset++);
    sessions.setUser(request, { name: user, groups: ANN });
  });
  const sessions = new Http2Sessions(server, { goAwayChance: 0, now: () => now });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const opened = () => {
    const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    client.on('error', () => {});
    t.after(() => client.destroy());
    return client;
  };
  /** Resets up to `max` requests, until the connection is closed. Returns the number of resets. */
  const resets = async (max: number) => {
    const client = opened();
    // the server must read each frame before the next one is sent
    const untilSeen = async (what: keyof typeof seen, total: number) => {
      while (seen[what] < total && !client.destroyed) await turn();
    };
    let count = 0;
    for (; count < max && !client.destroyed; count++) {
      const stream = client.request({ ':path': '/' });
      stream.on('error', () => {});
      await untilSeen('begun', seen.begun + 1);
      stream.close(constants.NGHTTP2_CANCEL);
      await untilSeen('reset', seen.begun);
    }
    return count;
  };
  const first = await resets(600);
  assert.ok(first >= 500 && first < 600, String(first));
  assert.ok((await resets(20)) < 20, 'the limit of ann holds on the new connection');
  user = 'bob';
  assert.equal(await resets(20), 20);
  user = 'ann';
  now += 2000;
  assert.equal(await resets(20), 20);
});
