import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { until } from '@tidegate/testkit';
import { MAPS } from '../support/client.ts';
import { openSession, RawConnection } from '../support/raw-connection.ts';
import type { RunningSystem } from '../support/running-system.ts';
import { sharedSystem } from '../support/shared-system.ts';

const LIMIT = 3 << 20;

describe('Large and compressed bodies', () => {
  let system: RunningSystem;
  before(async () => {
    system = await sharedSystem();
  });
  after(() => system?.stop());

  const bearer = () => `Bearer ${system.tidegate.token}`;

  test('Compressed request bodies are rejected with 415 and not decompressed.', async () => {
    const zeros = Buffer.alloc(4 * LIMIT);
    const codings = { gzip: gzipSync(zeros), deflate: deflateSync(zeros), br: brotliCompressSync(zeros) };
    for (const [coding, body] of Object.entries(codings)) {
      const reply = await system.client.request('POST', MAPS, { body, headers: { 'Content-Encoding': coding } });
      assert.equal(reply.code, 415, `${coding}: ${reply.text}`);
    }
  });

  test('A body is rejected with 413 by its Content-Length, or once it exceeds the limit.', async () => {
    const tooLarge = await system.client.request('POST', MAPS, { body: Buffer.alloc(LIMIT + 1, 'x') });
    assert.equal(tooLarge.code, 413);
    assert.equal(tooLarge.json.reason, 'RequestEntityTooLarge');
    const connection = await RawConnection.open(system.tidegate);
    const head = `POST ${MAPS} HTTP/1.1\r\nHost: x\r\nAuthorization: ${bearer()}\r\nContent-Type: application/json\r\n`;
    connection.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    const timer = setInterval(() => connection.write(chunk), 5);
    await until('an answer to the chunks', () => connection.codes.length > 0);
    clearInterval(timer);
    connection.close();
    assert.deepEqual(connection.codes, [413]);
    const session = await openSession(system.tidegate);
    const stream = session.request({ ':method': 'POST', ':path': MAPS, authorization: bearer() });
    stream.on('error', () => {});
    stream.end(Buffer.alloc(LIMIT + 1, 'x'));
    assert.equal((await once(stream, 'response'))[0][':status'], 413);
    session.destroy();
  });
});
