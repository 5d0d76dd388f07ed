import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { MAPS } from '../support/client.ts';
import { openSession, RawConnection } from '../support/raw-connection.ts';
import type { RunningSystem } from '../support/running-system.ts';
import { sharedSystem } from '../support/shared-system.ts';

describe('Large headers', () => {
  let system: RunningSystem;
  before(async () => {
    system = await sharedSystem();
  });
  after(() => system?.stop());

  const bearer = () => `Bearer ${system.tidegate.token}`;
  const stillServes = async () => assert.equal((await system.client.get(MAPS)).code, 200);

  test('In HTTP/1.1, headers that are too large or too many are rejected with 431.', async () => {
    for (const lines of [`X-Large: ${'x'.repeat(100_000)}\r\n`, 'X-Many: one\r\n'.repeat(10_000)]) {
      const connection = await RawConnection.open(system.tidegate);
      connection.write(`GET ${MAPS} HTTP/1.1\r\nHost: x\r\n${lines}\r\n`);
      await connection.closed;
      assert.deepEqual(connection.codes, [431]);
      assert.match(connection.text, /may have \d+ bytes: send fewer or shorter headers/);
    }
    await stillServes();
  });

  test('In HTTP/2, headers that are too large are rejected, also when header compression makes them small.', async () => {
    const session = await openSession(system.tidegate, { maxSendHeaderBlockLength: 1 << 24 });
    // the dynamic table reduces a repeated field to one byte
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

  test('Headers of normal size are accepted.', async () => {
    const reply = await system.client.get(MAPS, { 'X-Usual': 'x'.repeat(8000) });
    assert.equal(reply.code, 200);
  });
});
