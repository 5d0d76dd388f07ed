import assert from 'node:assert/strict';
import { until } from '@tidegate/testkit';
import { type Client, configMap, MAPS } from './client.ts';

/** The promised limit is two seconds; three times that allows for slow machines. */
const LIMIT_MS = 6000;

/** Checks what clients are promised from the start of a PostgreSQL outage, under write load. */
export async function checkOutage(client: Client): Promise<void> {
  const begun = performance.now();
  await until('readyz to fail', async () => (await client.get('/readyz')).code === 500);
  const unready = performance.now() - begun;
  assert.ok(unready < LIMIT_MS, `readyz took ${unready} ms to fail`);
  await assertWritesRejected(client, /cannot be reached/);
  await assertCacheServed(client);
}

/** A write is rejected in time, with a reason and Retry-After. */
export async function assertWritesRejected(
  client: Client,
  why: RegExp,
  body: object = configMap('refused'),
): Promise<void> {
  const begun = performance.now();
  const reply = await client.request('POST', MAPS, { body });
  const answered = performance.now() - begun;
  assert.equal(reply.code, 503, reply.text);
  assert.match(reply.json.message, why);
  assert.ok(Number(reply.headers['retry-after']) >= 1, 'Retry-After');
  assert.ok(answered < LIMIT_MS, `a write was rejected after ${answered} ms: ${reply.text}`);
}

export async function assertCacheServed(client: Client): Promise<void> {
  const cached = await client.get(`${MAPS}?resourceVersion=0`);
  assert.equal(cached.code, 200, cached.text);
  assert.ok(cached.json.items.length > 0);
  assert.equal((await client.get('/livez')).code, 200);
}

export async function untilReady(client: Client): Promise<void> {
  await until('readyz to pass', async () => (await client.get('/readyz')).code === 200);
}
