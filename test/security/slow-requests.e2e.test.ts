import assert from 'node:assert/strict';
import { once } from 'node:events';
import { constants } from 'node:http2';
import { after, before, describe, test } from 'node:test';
import { until } from '@tidegate/testkit';
import { MAPS } from '../support/client.ts';
import { openSession, RawConnection } from '../support/raw-connection.ts';
import { type RunningSystem, runningSystem } from '../support/running-system.ts';

describe('Slow clients', () => {
  let system: RunningSystem;
  before(async () => {
    system = await runningSystem({ env: { TIDEGATE_REQUEST_TIMEOUT: '1500ms' } });
  });
  after(() => system?.stop());

  const bearer = () => `Bearer ${system.tidegate.token}`;
  const head = (method: string, more = '') =>
    `${method} ${MAPS} HTTP/1.1\r\nHost: x\r\nAuthorization: ${bearer()}\r\nContent-Type: application/json\r\n${more}`;

  /** Sends one byte at a time until the connection is closed, and checks that other clients are served. */
  const drip = async (connection: RawConnection) => {
    const timer = setInterval(() => connection.write('x'), 100);
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

  test('A connection with a slow HTTP/1.1 header is closed with 408.', async () => {
    const connection = await RawConnection.open(system.tidegate);
    connection.write('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    await drip(connection);
    assert.deepEqual(connection.codes, [408]);
  });

  test('A slow HTTP/1.1 body is answered with 504, and the connection is closed.', async () => {
    const connection = await RawConnection.open(system.tidegate);
    connection.write(head('POST', 'Content-Length: 1000\r\n\r\n{'));
    await drip(connection);
    assert.deepEqual(connection.codes, [504]);
    assert.match(connection.text, /request did not complete within the allotted timeout/);
  });

  test('A slow HTTP/2 body is answered with 504, and other streams of the connection are served.', async () => {
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

  test('A response that the client does not read is aborted, in HTTP/1.1 and HTTP/2.', async () => {
    const { client } = system;
    const data = { text: 'x'.repeat(500_000) };
    for (let i = 0; i < 12; i++)
      await client.request('POST', MAPS, { body: { metadata: { name: `large-${i}` }, data } });
    const connection = await RawConnection.open(system.tidegate);
    connection.socket.pause();
    connection.write(`${head('GET')}\r\n`);
    const session = await openSession(system.tidegate);
    const unread = session.request({ ':path': MAPS, authorization: bearer() });
    unread.on('error', () => {});
    // the stream is paused, so only one flow control window arrives
    await until('the stream to be cancelled', () => unread.rstCode === constants.NGHTTP2_CANCEL);
    connection.socket.resume();
    await connection.closed;
    assert.ok(connection.received.length < 5_000_000, 'not all of it was sent');
    session.destroy();
  });
});
