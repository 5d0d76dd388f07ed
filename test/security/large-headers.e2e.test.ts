import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { MAPS } from '../support/client.ts';
import { openSession, RawConnection } from '../support/raw-connection.ts';
import type { RunningSystem } from '../support/running-system.ts';
import { sharedSystem } from '../support/shared-system.ts';

describe('large headers', () => {
  let system: RunningSystem;
  before(async () => {
    system = await sharedSystem();
  });
  after(() => system?.stop());

  const bearer = () => `Bearer ${system.tidegate.token}`;
  const stillServes = async () => assert.equal((await system.client.get(MAPS)).code, 200);

  test('are refused with 431 in HTTP/1.1, one or many', async () => {
    for (const lines of [`X-Large: ${'x'.repeat(100_000)}\r\n`, 'X-Many: one\r\n'.repeat(10_000)]) {
      const connection = await RawConnection.open(system.tidegate);
      connection.say(`GET ${MAPS} HTTP/1.1\r\nHost: x\r\n${lines}\r\n`);
      await connection.closed;
      assert.deepEqual(connection.codes, [431]);
      assert.match(connection.text, /may have \d+ bytes: send fewer or shorter headers/);
    }
    await stillServes();
  });

  test('are refused in HTTP/2, also where little is sent that means much', async () => {
    const session = await openSession(system.tidegate, { maxSendHeaderBlockLength: 1 << 24 });
    // the same field again and again is one byte each time: the table of the connection has it
    const bomb = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`x-${i}`, 'y'.repeat(3000)]));
    const stream = session.request({ ':path': MAPS, authorization: bearer(), ...bomb });
    stream.on('error', () => {});
    stream.resume();
    const code = await Promise.race([
      once(stream, 'response').then(([head]) => head[':status'] as number),
      new Promise<string>((resolve) => stream.once('close', () => resolve('reset'))),
    ]).catch(() => 'reset');
    assert.notEqual(code, 200);
    session.destroy();
    await stillServes();
  });

  test('of a usual size are taken', async () => {
    const reply = await system.client.get(MAPS, { 'X-Usual': 'x'.repeat(8000) });
    assert.equal(reply.code, 200);
  });
});
