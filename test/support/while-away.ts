import assert from 'node:assert/strict';
import { until } from '@tidegate/testkit';
import { type Client, configMap, MAPS } from './client.ts';

/** Two seconds are promised; a slow machine is given three times that. */
const LIMIT_MS = 6000;

/** What clients are promised from the moment in which PostgreSQL goes away, while others write. */
export async function whileAway(client: Client): Promise<void> {
  const begun = performance.now();
  await until('readyz to fail', async () => (await client.get('/readyz')).code === 500);
  const unready = performance.now() - begun;
  assert.ok(unready < LIMIT_MS, `readyz took ${unready} ms to fail`);
  await refusesWrites(client, /cannot be reached/);
  await servesCache(client);
}

/** Clients are told soon that a write was not done, why, and when to try again. */
export async function refusesWrites(client: Client, why: RegExp, body: object = configMap('refused')): Promise<void> {
  const asked = performance.now();
  const reply = await client.ask('POST', MAPS, { body });
  const answered = performance.now() - asked;
  assert.equal(reply.code, 503, reply.text);
  assert.match(reply.json.message, why);
  assert.ok(Number(reply.headers['retry-after']) >= 1, 'Retry-After');
  assert.ok(answered < LIMIT_MS, `a write took ${answered} ms to be refused: ${reply.text}`);
}

export async function servesCache(client: Client): Promise<void> {
  const cached = await client.get(`${MAPS}?resourceVersion=0`);
  assert.equal(cached.code, 200, cached.text);
  assert.ok(cached.json.items.length > 0);
  assert.equal((await client.get('/livez')).code, 200);
}

export async function recovers(client: Client): Promise<void> {
  await until('readyz to pass', async () => (await client.get('/readyz')).code === 200);
}
