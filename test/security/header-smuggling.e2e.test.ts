import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '@tidegate/testkit';
import { MAPS } from '../support/client.ts';
import { openSession, RawConnection } from '../support/raw-connection.ts';
import type { RunningSystem } from '../support/running-system.ts';
import { sharedSystem } from '../support/shared-system.ts';

describe('a request that two servers would read differently', () => {
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
    'a blank before the colon': `Transfer-Encoding : chunked\r\n`,
    'a name that is none': `Transfer Encoding: chunked\r\n`,
    'a control character': `X-Odd: a\x01b\r\n`,
    'a line that ends with CR alone': `X-Odd: a\rTransfer-Encoding: chunked\r\n`,
  };

  for (const [what, lines] of Object.entries(heads)) {
    test(`is refused and ends its connection: ${what}`, async () => {
      const connection = await RawConnection.open(system.tidegate);
      connection.say(`POST ${MAPS} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${lines}\r\n${BODY}`);
      await connection.closed;
      assert.deepEqual(connection.codes, [400]);
      assert.doesNotMatch(connection.text, /\r\n\r\nok$/);
    });
  }

  for (const [who, authorization] of [
    ['a stranger', () => ''],
    ['who may', () => `Authorization: Bearer ${system.tidegate.token}\r\n`],
  ] as const) {
    test(`is refused when a chunk of ${who} is longer than it says`, async () => {
      const connection = await RawConnection.open(system.tidegate);
      const head = `POST ${MAPS} HTTP/1.1\r\nHost: x\r\n${authorization()}Transfer-Encoding: chunked\r\n\r\n`;
      connection.say(`${head}2\r\nabcd\r\n${BODY}`);
      await connection.closed;
      // a stranger may have been refused before anybody looked at the body
      const codes = connection.codes.filter((code) => code !== 401);
      assert.deepEqual(codes, [400]);
      assert.doesNotMatch(connection.text, /\r\n\r\nok$/);
    });
  }

  test('in HTTP/2 does not reach anybody either', async () => {
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
    assert.notEqual(code, 201, 'a body that is shorter than its length is not taken');
    session.destroy();
  });

  test('one after the other on a connection are answered in their order', async () => {
    const connection = await RawConnection.open(system.tidegate);
    connection.say(`${HIDDEN}GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n${HIDDEN}`);
    await until('three answers', () => connection.codes.length === 3);
    assert.deepEqual(connection.codes, [200, 401, 200]);
    connection.close();
  });
});
