import assert from 'node:assert/strict';
import { once } from 'node:events';
import { constants } from 'node:http2';
import { after, before, describe, test } from 'node:test';
import { until } from '@tidegate/testkit';
import { MAPS } from '../support/client.ts';
import { frame, openSession, PREFACE, RawConnection } from '../support/raw-connection.ts';
import type { RunningSystem } from '../support/running-system.ts';
import { sharedSystem } from '../support/shared-system.ts';

const PING = 6;
const SETTINGS = 4;
const HEADERS = 1;
const CONTINUATION = 9;

describe('an HTTP/2 client', () => {
  let system: RunningSystem;
  before(async () => {
    system = await sharedSystem();
  });
  after(() => system?.stop());

  const asAdmin = () => ({ authorization: `Bearer ${system.tidegate.token}` });
  const stillServes = async () => assert.equal((await system.client.get(MAPS)).code, 200);

  test('that takes back request after request is told to calm down, and loses its connection', async () => {
    const session = await openSession(system.tidegate);
    let code: number | undefined;
    session.on('goaway', (told) => {
      code = told;
    });
    const timer = setInterval(() => {
      for (let i = 0; i < 50 && !session.closed && !session.destroyed; i++) {
        const stream = session.request({ ':path': MAPS, ...asAdmin() });
        stream.on('error', () => {});
        setImmediate(() => stream.close(constants.NGHTTP2_CANCEL));
      }
    }, 5);
    try {
      await until('the connection to be closed', () => session.destroyed);
    } finally {
      clearInterval(timer);
      session.destroy();
    }
    // who goes on sending may be reset before it has read the last word
    assert.ok(code === constants.NGHTTP2_ENHANCE_YOUR_CALM || code === undefined, String(code));
    await stillServes();
  });

  test('that takes back a request now and then keeps its connection', async () => {
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

  test('may have 250 requests at a time, and 100 before it has said who it is', async () => {
    const session = await openSession(system.tidegate);
    await until('the first settings', () => session.remoteSettings.maxConcurrentStreams === 100);
    const stream = session.request({ ':path': MAPS, ...asAdmin() });
    stream.resume();
    await once(stream, 'response');
    await until('more streams', () => session.remoteSettings.maxConcurrentStreams === 250);
    session.destroy();
  });

  test('that does not say who it is loses its connection after its answer', async () => {
    for (const headers of [{}, { authorization: 'Bearer nobody-knows-it' }]) {
      const session = await openSession(system.tidegate);
      const closed = new Promise((resolve) => session.once('close', resolve));
      const stream = session.request({ ':path': MAPS, ...headers });
      stream.resume();
      const [{ ':status': code }] = await once(stream, 'response');
      assert.ok(code === 403 || code === 401);
      await closed;
    }
  });

  const raw = async (attack: (connection: RawConnection) => void) => {
    const connection = await RawConnection.open(system.tidegate, 'h2');
    connection.say(Buffer.concat([PREFACE, frame(SETTINGS, 0, 0)]));
    const timer = setInterval(() => attack(connection), 2);
    try {
      await until('the connection to be closed', () => connection.socket.destroyed);
    } finally {
      clearInterval(timer);
      connection.close();
    }
    return connection.heard;
  };
  const hasFrame = (bytes: Buffer, type: number) => {
    for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) if (bytes[at + 3] === type) return true;
    return false;
  };

  test('that never ends a head loses its connection', async () => {
    let isFirst = true;
    const heard = await raw((connection) => {
      // :method GET of the static table, and then literal fields without an end
      if (isFirst) connection.say(frame(HEADERS, 0, 1, Buffer.from([0x82])));
      isFirst = false;
      const field = Buffer.concat([
        Buffer.from([0x00, 0x03]),
        Buffer.from('x-a'),
        Buffer.from([0x03]),
        Buffer.from('abc'),
      ]);
      for (let i = 0; i < 100; i++)
        connection.say(frame(CONTINUATION, 0, 1, Buffer.concat(Array.from({ length: 100 }, () => field))));
    });
    assert.ok(!hasFrame(heard, HEADERS), 'nothing is answered');
    await stillServes();
  });

  test('that asks for answers to settings and pings without reading them loses its connection', async () => {
    for (const flood of [frame(SETTINGS, 0, 0), frame(PING, 0, 0, Buffer.alloc(8))]) {
      const connection = await RawConnection.open(system.tidegate, 'h2');
      connection.socket.pause();
      connection.say(Buffer.concat([PREFACE, frame(SETTINGS, 0, 0)]));
      const many = Buffer.concat(Array.from({ length: 2000 }, () => flood));
      const timer = setInterval(() => connection.say(many), 1);
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
