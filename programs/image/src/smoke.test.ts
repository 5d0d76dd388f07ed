import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { serverPair, temporaryDir } from '@tidegate/testkit';
import { smoke } from './smoke.ts';

const made = { metadata: { name: 'tidegate-smoke-abcde' }, data: { greeting: 'hi' } };
/** The responses of a gateway to the steps, in order. */
const GOOD: ReadonlyArray<readonly [number, unknown]> = [
  [200, 'ok'],
  [200, {}],
  [201, made],
  [200, made],
  [200, {}],
  [404, {}],
];

describe('The smoke test', () => {
  const dir = temporaryDir('smoke');
  const [caFile, tokenFile] = [join(dir.path, 'ca'), join(dir.path, 'token')];
  let server: Server;
  let answers: Array<readonly [number, unknown]>;
  let requests: string[];
  const run = (timeoutSeconds = 5) => {
    const url = `https://localhost:${(server.address() as AddressInfo).port}`;
    return smoke({ server: url, caFile, tokenFile, namespace: 'default', timeoutSeconds }, () => {});
  };

  before(async () => {
    const { ca, cert, key } = await serverPair(['localhost']);
    writeFileSync(caFile, ca);
    writeFileSync(tokenFile, 'secret\n');
    server = createServer({ cert, key }, (request, response) => {
      requests.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      const [code, body] = answers.shift() ?? [500, 'nothing was expected'];
      response.writeHead(code).end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    server.closeAllConnections();
    server.close();
    dir.remove();
  });
  beforeEach(() => {
    requests = [];
    answers = [...GOOD];
  });

  test('creates, reads and deletes an object with its token, when the gateway is ready and the namespace exists', async () => {
    answers = [[500, 'not yet'], [200, 'ok'], [404, {}], ...GOOD.slice(1)];
    await run();
    const all = '/api/v1/namespaces/default/configmaps';
    assert.deepEqual(requests, [
      'GET /readyz Bearer secret',
      'GET /readyz Bearer secret',
      'GET /api/v1/namespaces/default Bearer secret',
      'GET /api/v1/namespaces/default Bearer secret',
      `POST ${all} Bearer secret`,
      `GET ${all}/tidegate-smoke-abcde Bearer secret`,
      `DELETE ${all}/tidegate-smoke-abcde Bearer secret`,
      `GET ${all}/tidegate-smoke-abcde Bearer secret`,
    ]);
  });

  test('reports after the timeout why the gateway is not ready', async () => {
    // a fast machine may send more than one request before the timeout
    answers = Array.from({ length: 50 }, () => [500, '[-]store failed\n'] as const);
    await assert.rejects(run(0), { message: 'the gateway is not ready after 0 s: [-]store failed' });
  });

  test('reports after the timeout that the namespace does not exist', async () => {
    answers = [[200, 'ok'], ...Array.from({ length: 50 }, () => [404, 'not found'] as const)];
    await assert.rejects(run(0), { message: 'the namespace default does not exist after 0 s: not found' });
  });

  test('reports an unexpected response of the gateway', async () => {
    answers[2] = [403, 'no'];
    await assert.rejects(run(), {
      message: 'the gateway answered the request to create a ConfigMap with 403 instead of 201: no',
    });
  });

  test('fails when the object that it reads differs, and deletes it nevertheless', async () => {
    answers[3] = [200, { ...made, data: { greeting: 'ho' } }];
    await assert.rejects(run(), /has other data than was written/);
    assert.match(requests.at(-1) ?? '', /^DELETE/);
  });

  test('fails when the object still exists after its deletion', async () => {
    answers[5] = [200, made];
    await assert.rejects(run(), /to read the deleted object with 200 instead of 404/);
  });
});
