import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { connect, constants, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { UNAUTHENTICATED } from '../request/user.ts';
import { ConnectionLimits } from './connection-limits.ts';
import { Http2Sessions } from './http2-sessions.ts';

const REQUESTS = 3;

/** The codes that somebody's requests on one connection get, and whether the connection was said to be over behind the first. */
async function asking({ goAwayChance, groups }: { goAwayChance: number; groups: readonly string[] }) {
  const server = createServer((request, response) => {
    sessions.known(request, { name: 'ann', groups });
    response.end();
  });
  const sessions = new Http2Sessions(server, { goAwayChance });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  let hasGoneAway = false;
  client.on('goaway', () => {
    hasGoneAway = true;
  });
  const codes: number[] = [];
  while (codes.length < REQUESTS && !client.closed) {
    const stream = client.request({ ':path': '/' });
    const [headers] = await once(stream, 'response');
    codes.push(Number(headers[':status']));
    await once(stream.resume(), 'close');
    // a goodbye comes by itself
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  client.close();
  server.close();
  return { codes, hasGoneAway };
}

const ANN = ['system:authenticated'];

test('by chance a connection is said to be over, behind a request that is answered', async () => {
  assert.deepEqual(await asking({ goAwayChance: 1, groups: ANN }), { codes: [200], hasGoneAway: true });
  assert.deepEqual(await asking({ goAwayChance: 0, groups: ANN }), { codes: [200, 200, 200], hasGoneAway: false });
});

test('a connection of nobody in particular is good for what was begun on it', async () => {
  const groups = [UNAUTHENTICATED];
  assert.deepEqual(await asking({ goAwayChance: 0, groups }), { codes: [200], hasGoneAway: true });
});

test('a chance is one in fifty at most', () => {
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

test('who has taken back too many requests is not better off with another connection, and others are', async (t) => {
  let now = 0;
  let user = 'ann';
  const server = createServer((request) => sessions.known(request, { name: user, groups: ANN }));
  const sessions = new Http2Sessions(server, { goAwayChance: 0, now: () => now });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  // what is sent is read before the next thing is sent
  const turn = () => new Promise((resolve) => setTimeout(resolve, 1));
  const opened = () => {
    const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    client.on('error', () => {});
    t.after(() => client.destroy());
    return client;
  };
  /** Takes back a request so often, or until the connection is closed. Answers how often. */
  const resets = async (most: number) => {
    const client = opened();
    let count = 0;
    for (; count < most && !client.destroyed; count++) {
      const stream = client.request({ ':path': '/' });
      stream.on('error', () => {});
      await turn();
      stream.close(constants.NGHTTP2_CANCEL);
      await turn();
    }
    return count;
  };
  const first = await resets(600);
  assert.ok(first >= 500 && first < 600, String(first));
  assert.ok((await resets(20)) < 20, 'ann is known again');
  user = 'bob';
  assert.equal(await resets(20), 20);
  user = 'ann';
  now += 2000;
  assert.equal(await resets(20), 20);
});
