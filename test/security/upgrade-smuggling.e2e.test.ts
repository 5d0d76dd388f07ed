import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { MAPS } from '../support/client.ts';
import { RawConnection } from '../support/raw-connection.ts';
import type { RunningSystem } from '../support/running-system.ts';
import { sharedSystem } from '../support/shared-system.ts';

const HIDDEN = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n';

describe('Upgrade requests', () => {
  let system: RunningSystem;
  before(async () => {
    system = await sharedSystem();
  });
  after(() => system?.stop());

  const upgrade = (path: string, lines: string) =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${system.tidegate.token}\r\nConnection: Upgrade\r\n${lines}\r\n`;
  const WEB_SOCKET =
    'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';

  const heads: Readonly<Record<string, () => string>> = {
    'for a path without upgrade': () => upgrade(MAPS, WEB_SOCKET),
    'with a body': () => upgrade(`${MAPS}?watch=1`, `${WEB_SOCKET}Content-Length: ${HIDDEN.length}\r\n`),
    'with chunks': () => upgrade(`${MAPS}?watch=1`, `${WEB_SOCKET}Transfer-Encoding: chunked\r\n`),
    'to HTTP/2 without TLS': () => upgrade(MAPS, 'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n'),
    'without a key': () => upgrade(`${MAPS}?watch=1`, 'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n'),
    'without authentication': () => upgrade(`${MAPS}?watch=1`, WEB_SOCKET).replace(/Authorization: .*\r\n/, ''),
  };

  for (const [what, head] of Object.entries(heads)) {
    test(`Requests after a rejected upgrade on the same connection are not served: upgrade ${what}.`, async () => {
      const connection = await RawConnection.open(system.tidegate);
      connection.write(`${head()}${HIDDEN}${HIDDEN}`);
      await connection.closed;
      assert.equal(connection.codes.length, 1, connection.text);
      assert.ok((connection.codes[0] as number) >= 400, connection.text);
      assert.doesNotMatch(connection.text, /\r\n\r\nok$/);
      assert.equal((await system.client.get(MAPS)).code, 200);
    });
  }
});
