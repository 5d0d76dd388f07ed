import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { ClusterClient } from './cluster-client.ts';
import { readObjects } from './read-objects.ts';

interface Scripted {
  readonly code: number;
  readonly body: object;
  readonly headers?: Record<string, string>;
}

/** A server with scripted responses, which records the requests. */
async function readFrom(script: readonly Scripted[]): Promise<{ names: string[]; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const { code, body, headers = {} } = script[requests.length] as Scripted;
    requests.push(String(request.url).replace(/.*limit=500/, ''));
    response.writeHead(code, headers).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = new ClusterClient({ server: `http://127.0.0.1:${port}`, insecure: false }, 1);
  const resource = { group: '', version: 'v1', name: 'configmaps', kind: 'ConfigMap', namespaced: true };
  const names: string[] = [];
  try {
    for await (const page of readObjects(client, resource, { namespace: 'team', limit: 500 })) {
      for (const object of page) names.push(`${object.kind}/${(object.metadata as { name: string }).name}`);
    }
  } finally {
    client.close();
    server.close();
  }
  return { names, requests };
}

function page(next: string, ...names: string[]): Scripted {
  const items = names.map((name) => ({ metadata: { name, uid: name } }));
  return { code: 200, body: { metadata: next === '' ? {} : { continue: next }, items } };
}

test('Pages are read by their tokens, and items get kind and apiVersion.', async () => {
  const { names, requests } = await readFrom([page('t1', 'a', 'b'), page('t2', 'c'), page('', 'd')]);
  assert.deepEqual(names, ['ConfigMap/a', 'ConfigMap/b', 'ConfigMap/c', 'ConfigMap/d']);
  assert.deepEqual(requests, ['', '&continue=t1', '&continue=t2']);
});

test('After an expired version the list continues with the offered token.', async () => {
  const expired = { code: 410, body: { metadata: { continue: 'newer' } } };
  const { names, requests } = await readFrom([page('t1', 'a'), expired, page('', 'b')]);
  assert.deepEqual(
    [names, requests],
    [
      ['ConfigMap/a', 'ConfigMap/b'],
      ['', '&continue=t1', '&continue=newer'],
    ],
  );
});

test('Without an offered token the list begins again, and no object is returned twice.', async () => {
  const { names, requests } = await readFrom([page('t1', 'a'), { code: 410, body: {} }, page('', 'a', 'b')]);
  assert.deepEqual(
    [names, requests],
    [
      ['ConfigMap/a', 'ConfigMap/b'],
      ['', '&continue=t1', ''],
    ],
  );
});

test("A request to a busy server is repeated; a rejection is an error with the server's message.", async () => {
  const busy = { code: 429, body: {}, headers: { 'Retry-After': '0.01' } };
  assert.deepEqual((await readFrom([busy, page('', 'a')])).names, ['ConfigMap/a']);
  const refused = { code: 403, body: { message: 'not yours' } };
  await assert.rejects(readFrom([refused]), /cannot be listed \(403\): not yours/);
});
