import assert from 'node:assert/strict';
import { once } from 'node:events';
import { constants } from 'node:http2';
import { after, before, describe, test } from 'node:test';
import { until } from '@tidegate/testkit';
import { MAPS } from '../support/client.ts';
import { openSession, RawConnection } from '../support/raw-connection.ts';
import { type RunningSystem, runningSystem } from '../support/running-system.ts';

describe('who sends slowly', () => {
  let system: RunningSystem;
  before(async () => {
    system = await runningSystem({ env: { TIDEGATE_REQUEST_TIMEOUT: '1500ms' } });
  });
  after(() => system?.stop());

  const bearer = () => `Bearer ${system.tidegate.token}`;
  const head = (method: string, more = '') =>
    `${method} ${MAPS} HTTP/1.1\r\nHost: x\r\nAuthorization: ${bearer()}\r\nContent-Type: application/json\r\n${more}`;

  /** Says a letter now and then, until the connection ends; others are served all the while. */
  const drip = async (connection: RawConnection) => {
    const timer = setInterval(() => connection.say('x'), 100);
    try {
      await until('the connection to end', async () => {
        assert.equal((await system.client.get(MAPS)).code, 200);
        return connection.socket.destroyed;
      });
    } finally {
      clearInterval(timer);
      connection.close();
    }
  };

  test('heads in HTTP/1.1 loses the connection', async () => {
    const connection = await RawConnection.open(system.tidegate);
    connection.say('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    await drip(connection);
    assert.deepEqual(connection.codes, [408]);
  });

  test('bodies in HTTP/1.1 is told so, with a length or without, and loses the connection', async () => {
    const connection = await RawConnection.open(system.tidegate);
    connection.say(head('POST', 'Content-Length: 1000\r\n\r\n{'));
    await drip(connection);
    assert.deepEqual(connection.codes, [504]);
    assert.match(connection.text, /request did not complete within the allotted timeout/);
  });

  test('bodies in HTTP/2 is told so, and its neighbours on the connection are served', async () => {
    const session = await openSession(system.tidegate);
    const slow = session.request({ ':method': 'POST', ':path': MAPS, authorization: bearer() });
    slow.on('error', () => {});
    slow.write('{');
    const timer = setInterval(() => slow.write(' '), 100);
    const [{ ':status': code }] = await once(slow, 'response');
    clearInterval(timer);
    assert.equal(code, 504);
    const quick = session.request({ ':path': MAPS, authorization: bearer() });
    quick.resume();
    assert.equal((await once(quick, 'response'))[0][':status'], 200);
    session.destroy();
  });

  test('and reads slowly has the request broken off, in both versions', async () => {
    const { client } = system;
    const data = { text: 'x'.repeat(500_000) };
    for (let i = 0; i < 12; i++) await client.ask('POST', MAPS, { body: { metadata: { name: `large-${i}` }, data } });
    const connection = await RawConnection.open(system.tidegate);
    connection.socket.pause();
    connection.say(`${head('GET')}\r\n`);
    const session = await openSession(system.tidegate);
    const unread = session.request({ ':path': MAPS, authorization: bearer() });
    unread.on('error', () => {});
    // paused: a window's worth of it arrives
    await until('the stream to be broken off', () => unread.rstCode === constants.NGHTTP2_CANCEL);
    connection.socket.resume();
    await connection.closed;
    assert.ok(connection.heard.length < 5_000_000, 'not all of it was sent');
    session.destroy();
  });
});
