import assert from 'node:assert/strict';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { Checks } from './checks.ts';
import { MetricRegistry } from './metric-registry.ts';
import { openOpsServer } from './ops-server.ts';

const checks = new Checks();
let trouble: string | undefined;
let server: Server;
let base: string;

before(async () => {
  checks.add('postgres', () => trouble, { wedged: () => undefined });
  server = await openOpsServer({ address: '127.0.0.1:0', checks, metrics: new MetricRegistry() });
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

async function ask(path: string, method = 'GET') {
  const reply = await fetch(`${base}${path}`, { method });
  const { headers } = reply;
  const [type, sniff] = [headers.get('content-type'), headers.get('x-content-type-options')];
  return { code: reply.status, text: await reply.text(), type, sniff };
}

const TEXT = { type: 'text/plain; charset=utf-8', sniff: 'nosniff' };

test("The endpoints report the part's checks in the format of Kubernetes.", async () => {
  trouble = 'away';
  try {
    const readyz = '[+]ping ok\n[-]postgres failed: reason withheld\n[+]shutdown ok\nhealthz check failed\n';
    assert.deepEqual(await ask('/readyz'), { code: 500, text: readyz, ...TEXT });
    const livez = '[+]ping ok\n[+]postgres ok\nhealthz check passed\n';
    assert.deepEqual(await ask('/livez?verbose'), { code: 200, text: livez, ...TEXT });
    const healthz = '[+]ping ok\n[+]postgres excluded: ok\nhealthz check passed\n';
    assert.deepEqual(await ask('/healthz?exclude=postgres&verbose=false'), { code: 200, text: healthz, ...TEXT });
    assert.deepEqual(await ask('/readyz/postgres'), { code: 500, text: 'internal server error: away\n', ...TEXT });
  } finally {
    trouble = undefined;
  }
  assert.deepEqual(await ask('/readyz'), { code: 200, text: 'ok', ...TEXT });
});

test('Unknown paths get 404, and methods other than GET and HEAD are rejected.', async () => {
  for (const path of ['/', '/readyz/none', '/livez/shutdown', '//readyz', '/readyz/%zz', '/metrics/x'])
    assert.equal((await ask(path)).code, 404, path);
  assert.deepEqual(await ask('/readyz', 'HEAD'), { code: 200, text: '', ...TEXT });
  for (const path of ['/readyz', '/metrics']) assert.equal((await ask(path, 'POST')).code, 405);
});
