import assert from 'node:assert/strict';
import { once } from 'node:events';
import { constants } from 'node:http2';
import { after, before, describe, test } from 'node:test';
import { until } from '@tidegate/testkit';
import { MAPS } from '../support/client.ts';
import { cancelRequests, frame, openSession, PREFACE, RawConnection } from '../support/raw-connection.ts';
import type { RunningSystem } from '../support/running-system.ts';
import { sharedSystem } from '../support/shared-system.ts';

const PING = 6;
const SETTINGS = 4;
const HEADERS = 1;
const CONTINUATION = 9;

describe('HTTP/2 floods', () => {
  let system: RunningSystem;
  before(async () => {
    system = await sharedSystem();
  });
  after(() => system?.stop());

  const asAdmin = () => ({ authorization: `Bearer ${system.tidegate.token}` });
  const stillServes = async () => assert.equal((await system.client.get(MAPS)).code, 200);

  test('The connection of a client that keeps cancelling requests is closed.', async () => {
    const session = await openSession(system.tidegate);
    let code: number | undefined;
    session.on('goaway', (errorCode) => {
      code = errorCode;
    });
    const timer = setInterval(() => cancelRequests(session, { ':path': MAPS, ...asAdmin() }, 50), 5);
    try {
      await until('the connection to be closed', () => session.destroyed);
    } finally {
      clearInterval(timer);
      session.destroy();
    }
    // the HTTP/2 library's own limit sends INTERNAL_ERROR; a reset may also overtake the GOAWAY frame
    const { NGHTTP2_ENHANCE_YOUR_CALM, NGHTTP2_INTERNAL_ERROR } = constants;
    assert.ok([NGHTTP2_ENHANCE_YOUR_CALM, NGHTTP2_INTERNAL_ERROR, undefined].includes(code), String(code));
    await stillServes();
  });

  test('A client that cancels requests at a normal rate keeps its connection.', async () => {
    const session = await openSession(system.tidegate);
    for (let i = 0; i < 50; i++) {
      const stream = session.request({ ':path': `${MAPS}?watch=1`, ...asAdmin() });
      stream.on('error', () => {});
      await once(stream, 'response');
      stream.close(constants.NGHTTP2_CANCEL);
      await once(stream, 'close');
    }
    assert.equal(session.closed || session.destroyed, false);
    session.destroy();
  });

  test('A connection may have 100 concurrent streams, and 250 after the client is authenticated.', async () => {
    const session = await openSession(system.tidegate);
    await until('the first settings', () => session.remoteSettings.maxConcurrentStreams === 100);
    const stream = session.request({ ':path': MAPS, ...asAdmin() });
    stream.resume();
    await once(stream, 'response');
    await until('more streams', () => session.remoteSettings.maxConcurrentStreams === 250);
    session.destroy();
  });

  test('The connection of an unauthenticated client is closed after the answer.', async () => {
    for (const headers of [{}, { authorization: 'Bearer unknown' }]) {
      const session = await openSession(system.tidegate);
      const closed = new Promise((resolve) => session.once('close', resolve));
      const stream = session.request({ ':path': MAPS, ...headers });
      stream.resume();
      const [{ ':status': code }] = await once(stream, 'response');
      assert.ok(code === 403 || code === 401);
      await closed;
    }
  });

  const attackUntilClosed = async (attack: (connection: RawConnection) => void) => {
    const connection = await RawConnection.open(system.tidegate, 'h2');
    connection.write(Buffer.concat([PREFACE, frame(SETTINGS, 0, 0)]));
    const timer = setInterval(() => attack(connection), 2);
    try {
      await until('the connection to be closed', () => connection.socket.destroyed);
    } finally {
      clearInterval(timer);
      connection.close();
    }
    return connection.received;
  };
  const hasFrame = (bytes: Buffer, type: number) => {
    for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) if (bytes[at + 3] === type) return true;
    return false;
  };

  test('A connection with an endless header block is closed.', async () => {
    let isFirst = true;
    const received = await attackUntilClosed((connection) => {
      // :method GET of the static table, then literal fields without END_HEADERS
      if (isFirst) connection.write(frame(HEADERS, 0, 1, Buffer.from([0x82])));
      isFirst = false;
      const field = Buffer.concat([
        Buffer.from([0x00, 0x03]),
        Buffer.from('x-a'),
        Buffer.from([0x03]),
        Buffer.from('abc'),
      ]);
      for (let i = 0; i < 100; i++)
        connection.write(frame(CONTINUATION, 0, 1, Buffer.concat(Array.from({ length: 100 }, () => field))));
    });
    assert.ok(!hasFrame(received, HEADERS), 'there is no answer');
    await stillServes();
  });

  test('A client that floods SETTINGS or PING frames without reading the answers loses its connection.', async () => {
    for (const flood of [frame(SETTINGS, 0, 0), frame(PING, 0, 0, Buffer.alloc(8))]) {
      const connection = await RawConnection.open(system.tidegate, 'h2');
      connection.socket.pause();
      connection.write(Buffer.concat([PREFACE, frame(SETTINGS, 0, 0)]));
      const many = Buffer.concat(Array.from({ length: 2000 }, () => flood));
      const timer = setInterval(() => connection.write(many), 1);
      try {
        await until('the connection to break', () => connection.socket.destroyed);
      } finally {
        clearInterval(timer);
        connection.close();
      }
    }
    await stillServes();
  });
});
