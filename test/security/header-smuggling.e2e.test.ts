import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '@tidegate/testkit';
import { MAPS } from '../support/client.ts';
import { openSession, RawConnection } from '../support/raw-connection.ts';
import type { RunningSystem } from '../support/running-system.ts';
import { sharedSystem } from '../support/shared-system.ts';

describe('Request smuggling', () => {
  let system: RunningSystem;
  before(async () => {
    system = await sharedSystem();
  });
  after(() => system?.stop());

  const HIDDEN = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n';
  const BODY = `0\r\n\r\n${HIDDEN}`;
  const heads: Readonly<Record<string, string>> = {
    'a length and chunks': `Content-Length: ${BODY.length}\r\nTransfer-Encoding: chunked\r\n`,
    'chunks and a length': `Transfer-Encoding: chunked\r\nContent-Length: ${BODY.length}\r\n`,
    'two lengths': `Content-Length: 3\r\nContent-Length: ${BODY.length}\r\n`,
    'a list of lengths': `Content-Length: 3, ${BODY.length}\r\n`,
    'a length with a sign': `Content-Length: +${BODY.length}\r\n`,
    'a coding that is not the last': `Transfer-Encoding: chunked, identity\r\n`,
    'two codings': `Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n`,
    'a folded line': `X-Folded: a\r\n b\r\nTransfer-Encoding:\r\n chunked\r\n`,
    'a space before the colon': `Transfer-Encoding : chunked\r\n`,
    'an invalid header name': `Transfer Encoding: chunked\r\n`,
    'a control character': `X-Odd: a\x01b\r\n`,
    'a line that ends with CR alone': `X-Odd: a\rTransfer-Encoding: chunked\r\n`,
  };

  for (const [what, lines] of Object.entries(heads)) {
    test(`A request with ${what} is rejected with 400, and its connection is closed.`, async () => {
      const connection = await RawConnection.open(system.tidegate);
      connection.write(`POST ${MAPS} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${lines}\r\n${BODY}`);
      await connection.closed;
      assert.deepEqual(connection.codes, [400]);
      assert.doesNotMatch(connection.text, /\r\n\r\nok$/);
    });
  }

  for (const [who, authorization] of [
    ['an unauthenticated client', () => ''],
    ['an authenticated client', () => `Authorization: Bearer ${system.tidegate.token}\r\n`],
  ] as const) {
    test(`A chunk of ${who} that is longer than its declared size is rejected with 400.`, async () => {
      const connection = await RawConnection.open(system.tidegate);
      const head = `POST ${MAPS} HTTP/1.1\r\nHost: x\r\n${authorization()}Transfer-Encoding: chunked\r\n\r\n`;
      connection.write(`${head}2\r\nabcd\r\n${BODY}`);
      await connection.closed;
      // an unauthenticated request may be rejected with 401 before its body is read
      const codes = connection.codes.filter((code) => code !== 401);
      assert.deepEqual(codes, [400]);
      assert.doesNotMatch(connection.text, /\r\n\r\nok$/);
    });
  }

  test('In HTTP/2, a body that is shorter than its Content-Length is rejected.', async () => {
    const session = await openSession(system.tidegate);
    const headers = { ':method': 'POST', ':path': MAPS, authorization: `Bearer ${system.tidegate.token}` };
    const stream = session.request({ ...headers, 'content-length': '100000' });
    stream.on('error', () => {});
    stream.end('{}');
    let code: number | undefined;
    stream.once('response', (head) => {
      code = head[':status'];
    });
    stream.resume();
    await new Promise((resolve) => stream.once('close', resolve));
    assert.notEqual(code, 201, 'the short body is not accepted');
    session.destroy();
  });

  test('Pipelined requests are answered in order.', async () => {
    const connection = await RawConnection.open(system.tidegate);
    connection.write(`${HIDDEN}GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n${HIDDEN}`);
    await until('three answers', () => connection.codes.length === 3);
    assert.deepEqual(connection.codes, [200, 401, 200]);
    connection.close();
  });
});
