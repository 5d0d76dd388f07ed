import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { type ServerPair, serverPair } from '@tidegate/testkit';
import { AllowedAddresses } from './allowed-addresses.ts';
import { ServiceTargets } from './service-targets.ts';
import { type ClientConfig, WebhookCalls } from './webhook-calls.ts';

const LOOPBACK = ['127.0.0.0/8'];

describe('A call of a webhook', () => {
  let pair: ServerPair;
  let server: Server;
  let port: number;
  let seen: string[];
  let answer: (path: string) => { code?: number; body?: string; headers?: Record<string, string>; silent?: boolean };
  let logged = '';
  const targets = new ServiceTargets(() => Promise.reject(new Error('none')));
  const calls = new WebhookCalls(new AllowedAddresses(LOOPBACK), targets, (words) => {
    logged = words;
  });
  let connections = 0;

  before(async () => {
    pair = await serverPair(['127.0.0.1', 'hooks.default.svc']);
    server = createServer(pair, (request, response) => {
      let body = '';
      request.on('data', (part) => {
        body += part;
      });
      request.on('end', () => {
        seen.push(`${request.method} ${request.url} ${body}`);
        const { code = 200, body: text = '{}', headers = {}, silent = false } = answer(request.url ?? '');
        if (!silent) response.writeHead(code, headers).end(text);
      });
    });
    server.on('secureConnection', () => connections++);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  after(() => {
    calls.close();
    server.close();
    server.closeAllConnections();
  });

  function ask(config: Partial<ClientConfig> = {}, timeoutMs = 5000, path = '/hook') {
    seen = [];
    const whole = { url: `https://127.0.0.1:${port}${path}`, caBundle: base64(pair.ca), ...config };
    return calls.call({ config: whole, body: { ask: 1 }, timeoutMs, maxAnswerBytes: 1000 });
  }

  /** Clients hear the same words whatever was found, the log what it was. */
  async function unreached(config: Partial<ClientConfig>, found: RegExp): Promise<void> {
    const url = config.url ?? `https://127.0.0.1:${port}/hook`;
    const message = `Post "${url}?timeout=5s": the webhook could not be reached; the server's log tells why`;
    await assert.rejects(ask(config), { name: 'Error', message });
    assert.match(logged, found);
  }

  test('posts JSON with its timeout, and returns the object of the answer', async () => {
    answer = () => ({ body: '{"said":9007199254740993}' });
    assert.deepEqual(await ask(), { said: 9007199254740993n });
    assert.deepEqual(seen, ['POST /hook?timeout=5s {"ask":1}']);
  });

  test('trusts a server whose own certificate is in the bundle, without its authority, and no other one', async () => {
    answer = () => ({ body: '{"said":1}' });
    assert.deepEqual(await ask({ caBundle: base64(pair.cert) }), { said: 1 });
    const other = await serverPair(['127.0.0.1']);
    await unreached({ caBundle: base64(other.cert) }, /certificate signed by unknown authority$/);
  });

  test('reuses the connection of the previous call', async () => {
    answer = () => ({});
    await ask();
    const before = connections;
    await ask();
    await ask();
    assert.equal(connections, before);
  });

  test('is repeated when a keep-alive connection turns out to be closed', async () => {
    answer = () => ({});
    await ask();
    server.closeAllConnections();
    assert.deepEqual(await ask(), {});
  });

  test('ends with its timeout', async () => {
    answer = () => ({ silent: true });
    await assert.rejects(ask({}, 100), {
      message: `Post "https://127.0.0.1:${port}/hook?timeout=0.1s": context deadline exceeded`,
    });
  });

  test('fails for a server of another authority', async () => {
    const other = await serverPair(['127.0.0.1']);
    await unreached({ caBundle: base64(other.ca) }, /certificate signed by unknown authority$/);
    assert.deepEqual(seen, []);
  });

  test('follows no redirect', async () => {
    answer = (path) => (path.startsWith('/hook') ? { code: 307, headers: { Location: '/other' } } : {});
    await assert.rejects(ask(), /it answered 307, and redirects are not followed/);
    assert.equal(seen.length, 1);
  });

  for (const [what, said, words] of [
    ['no JSON', { body: '<html>' }, /the answer is no JSON/],
    ['no object', { body: '[]' }, /the answer is no JSON object/],
    ['too much', { body: JSON.stringify({ a: 'x'.repeat(2000) }) }, /the answer is larger than 1000 bytes/],
    [
      'a failure',
      { code: 500, body: 'oh' },
      /^an error on the server \("oh"\) has prevented the request from succeeding$/,
    ],
    ['a Status', { code: 409, body: '{"kind":"Status","message":"no way"}' }, /^no way$/],
  ] as const) {
    test(`that is answered with ${what} fails with the reason`, async () => {
      answer = () => said;
      await assert.rejects(ask(), { message: words });
    });
  }

  test('gives clients the same error for a closed port, another service and a forbidden address', async () => {
    const plain = createTcpServer((socket) => socket.on('error', () => {}).end('SSH-2.0-OpenSSH\r\n')).listen(
      0,
      '127.0.0.1',
    );
    await once(plain, 'listening');
    const { port: plainPort } = plain.address() as AddressInfo;
    await unreached({ url: 'https://127.0.0.1:1/' }, /: dial tcp 127\.0\.0\.1:1: connect: connection refused$/);
    await unreached({ url: `https://127.0.0.1:${plainPort}/` }, /wrong version number/);
    await unreached({ url: `https://localhost:${port}/` }, /certificate is valid for other names$/);
    await unreached({ url: 'https://169.254.169.254/latest' }, /: address not allowed$/);
    await unreached({ url: 'https://no-such-name.invalid/' }, /: no addresses for hostname "no-such-name.invalid"$/);
    plain.close();
  });

  test('reports what API objects say of a Service, and hides what was found at its address', async () => {
    const none = new ServiceTargets(async () => ({ get: () => undefined }) as never);
    const service = { namespace: 'own', name: 'front' };
    const call = { config: { service }, body: {}, timeoutMs: 5000, maxAnswerBytes: 1000 };
    await assert.rejects(new WebhookCalls(new AllowedAddresses([]), none).call(call), {
      message: 'Post "https://front.own.svc/?timeout=5s": service "front" not found',
    });
  });
});

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
