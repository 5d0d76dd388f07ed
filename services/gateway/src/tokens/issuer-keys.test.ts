import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@tidegate/schema';
import { issuerKey, publishedForm } from '@tidegate/testkit';
import { IssuerKeys } from './issuer-keys.ts';

const ISSUER = 'https://issuer.example/';
const key = issuerKey('one');

function fixture(documents: Record<string, unknown> = {}) {
  const asked: string[] = [];
  const troubles: Array<string | undefined> = [];
  const state = { now: 0, isAway: false };
  const all: Record<string, unknown> = {
    [`${ISSUER}.well-known/openid-configuration`]: { issuer: ISSUER, jwks_uri: `${ISSUER}keys` },
    [`${ISSUER}keys`]: { keys: [publishedForm(key)] },
    ...documents,
  };
  const keys = new IssuerKeys({
    issuer: ISSUER,
    discoveryUrl: '',
    authority: '',
    fetch: async (url) => {
      asked.push(url.slice(ISSUER.length));
      if (state.isAway) throw new Error('it is away');
      return structuredClone(all[url]) as JsonObject;
    },
    onFetch: (trouble) => troubles.push(trouble),
    now: () => state.now,
  });
  return { keys, asked, troubles, state, all };
}

test('the discovery document is fetched first, and then the keys', async () => {
  const { keys, asked } = fixture();
  await keys.renewed();
  keys.stop();
  assert.deepEqual(asked, ['.well-known/openid-configuration', 'keys']);
  assert.equal(keys.of('one', 'ES256').length, 1);
  assert.equal(keys.of('', 'ES256').length, 1, 'a token need not name its key');
  assert.equal(keys.of('two', 'ES256').length + keys.of('one', 'ES384').length + keys.of('one', 'HS256').length, 0);
});

test('failed fetches are retried, and meanwhile the last keys stay valid', async () => {
  const { keys, state, troubles } = fixture();
  state.isAway = true;
  await keys.renewed();
  state.isAway = false;
  state.now = 5000;
  await keys.renewed();
  state.isAway = true;
  state.now = 10_000;
  await keys.renewed();
  keys.stop();
  assert.deepEqual(troubles, ['it is away', undefined, 'it is away']);
  assert.equal(keys.of('one', 'ES256').length, 1);
});

test('a flood of unknown keys causes one fetch every five seconds', async () => {
  const { keys, asked, state } = fixture();
  for (; state.now < 10_000; state.now += 10) await Promise.all([keys.renewed(), keys.renewed(), keys.renewed()]);
  keys.stop();
  assert.equal(asked.length, 4);
});

test('a new key is accepted once it is published, and a withdrawn key is not', async () => {
  const { keys, all, state } = fixture();
  await keys.renewed();
  all[`${ISSUER}keys`] = { keys: [publishedForm(issuerKey('two'))] };
  state.now = 5000;
  assert.equal(await keys.renewed(), true);
  keys.stop();
  assert.deepEqual([keys.of('one', 'ES256').length, keys.of('two', 'ES256').length], [0, 1]);
});

for (const [what, documents, words] of [
  [
    'another issuer',
    { [`${ISSUER}.well-known/openid-configuration`]: { issuer: 'https://other', jwks_uri: `${ISSUER}keys` } },
    /issuer did not match .* expected "https:\/\/issuer.example\/" got "https:\/\/other"/,
  ],
  [
    'keys in the clear',
    { [`${ISSUER}.well-known/openid-configuration`]: { issuer: ISSUER, jwks_uri: 'http://issuer.example/keys' } },
    /jwks_uri must be an https URL/,
  ],
  ['no keys', { [`${ISSUER}keys`]: {} }, /contains no keys/],
] as const) {
  test(`a discovery document with ${what} is rejected`, async () => {
    const { keys, troubles } = fixture(documents);
    await keys.renewed();
    keys.stop();
    assert.match(troubles[0] ?? '', words);
  });
}

test('keys that cannot sign tokens are skipped and do not affect the others', async () => {
  const secret = { kty: 'oct', kid: 'secret', k: 'c2VjcmV0', alg: 'HS256' };
  const weak = publishedForm(issuerKey('weak', 'RS256', 1024));
  const keySet = [
    null,
    'x',
    secret,
    { kty: 'EC', kid: 'broken' },
    { ...publishedForm(key), kid: 'enc', use: 'enc' },
    weak,
  ];
  const { keys } = fixture({ [`${ISSUER}keys`]: { keys: [...keySet, publishedForm(key)] } });
  await keys.renewed();
  keys.stop();
  assert.equal(keys.of('', 'ES256').length, 1);
  assert.equal(keys.of('', 'RS256').length + keys.of('', 'HS256').length, 0);
});
