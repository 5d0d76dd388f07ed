import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { describe, test } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { serverPair } from '@tidegate/testkit';
import { ask, dial } from '../proxy/backend.ts';
import { dialErrorText } from './dial-errors.ts';

/** What no client may hear: how OpenSSL was built, and what stands in certificates of others. */
const INTERNAL = /openssl|\.c:|deps|SSL routines|alert number|altnames|Hostname\/IP|secret\.internal|DNS:/i;

async function wordsOf(server: Server, tls: object): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const backend = { address: '127.0.0.1', host: 'a.own.svc', port, tls, connectMs: 5000 };
  try {
    const socket = await dial(backend);
    const call = { method: 'GET', path: '/', headers: ['Host', 'a'] };
    const { response } = await ask(socket, call, (body) => body.end());
    return `it answered ${response.statusCode}`;
  } catch (error) {
    return (error as Error).message;
  } finally {
    server.close();
  }
}

describe('Clients get a text of this server, and never one of OpenSSL,', () => {
  test('when a server does not speak TLS', async () => {
    const words = await wordsOf(
      createTcpServer((socket) => socket.on('error', () => {}).end('220 hello\r\n')),
      {},
    );
    assert.equal(words, 'tls: first record does not look like a TLS handshake');
  });

  test('when its certificate is for other names, which stay hidden', async () => {
    const { ca, ...pair } = await serverPair(['secret.internal']);
    const server = createTlsServer(pair, (socket) => socket.on('error', () => {}));
    const words = await wordsOf(server, { ca });
    assert.equal(words, 'tls: failed to verify certificate: x509: certificate is valid for other names');
  });

  test('when it requires another certificate, or another version of TLS', async () => {
    const { ca, ...pair } = await serverPair(['a.own.svc']);
    for (const options of [{ requestCert: true, rejectUnauthorized: true, ca }, { maxVersion: 'TLSv1.2' as const }]) {
      const server = createTlsServer({ ...pair, ...options }, (socket) => socket.on('error', () => {}));
      const words = await wordsOf(server, { ca, minVersion: 'TLSv1.3' });
      assert.doesNotMatch(words, INTERNAL);
      assert.match(words, /^(tls: handshake failure|EOF)$/);
    }
  });

  test('for every other failure', () => {
    for (const code of [
      'ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR',
      'EPROTO',
      'ERR_TLS_DH_PARAM_SIZE',
      'ENOTFOUND',
      undefined,
    ]) {
      const error = Object.assign(
        new Error('C0:error:0A00:SSL routines::x:../deps/openssl/ssl/rec.c:16:alert number 80'),
        { code },
      );
      assert.doesNotMatch(dialErrorText(error as Error), INTERNAL);
    }
  });
});
