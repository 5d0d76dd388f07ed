import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type IssuerKey, issuerKey, publishedForm, signedToken } from '@tidegate/testkit';
import type { User } from '../request/user.ts';
import type { JwtEntry } from './issuer-form.ts';
import { readIssuers } from './read-issuers.ts';
import { digestOf } from './token-authority.ts';
import { type IssuerSettings, TokenIssuer } from './token-issuer.ts';

const URL = 'https://issuer.example';
const NOW = 1_700_000_000;
const key = issuerKey('one', 'RS256');
const good = { iss: URL, aud: 'kube', sub: 'ann', exp: NOW + 60 };
const usual: JwtEntry = {
  issuer: { url: URL, audiences: ['kube'] },
  claimMappings: { username: { claim: 'sub', prefix: 'x:' }, groups: { claim: 'groups', prefix: 'g:' } },
};

function settingsOf(entry: JwtEntry): IssuerSettings {
  const mistakes: never[] = [];
  const [settings] = readIssuers([entry], { mistakes, ownIssuers: [] });
  assert.deepEqual(mistakes, []);
  return settings as IssuerSettings;
}

function issuerOf(entry: JwtEntry, keys: readonly IssuerKey[] = [key]): TokenIssuer {
  const documents = { [`${URL}/keys`]: { keys: keys.map(publishedForm) } } as Record<string, object>;
  return new TokenIssuer(settingsOf(entry), {
    fetch: async (url) => (documents[url] ?? { issuer: URL, jwks_uri: `${URL}/keys` }) as never,
    warn: () => {},
    now: () => NOW * 1000,
  });
}

async function said(token: string, entry: JwtEntry = usual, keys?: readonly IssuerKey[]) {
  const issuer = issuerOf(entry, keys);
  const verdict = await issuer.authenticate({ text: token, digest: digestOf(token) });
  issuer.stop();
  return verdict === undefined ? undefined : 'user' in verdict ? verdict.user : verdict.refused;
}

const withClaims = (claims: object, entry?: JwtEntry) => said(signedToken(key, { ...good, ...claims }), entry);

test('the claims of a token yield a user until the token expires', async () => {
  assert.deepEqual(await withClaims({ groups: ['a', 'b'], jti: 'j' }), {
    name: 'x:ann',
    uid: '',
    groups: ['g:a', 'g:b', 'system:authenticated'],
    extra: { 'authentication.kubernetes.io/credential-id': ['JTI=j'] },
    until: (NOW + 60) * 1000,
  });
  assert.deepEqual(((await withClaims({ groups: 'one' })) as User).groups, ['g:one', 'system:authenticated']);
});

for (const algorithm of ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512']) {
  test(`a token signed by ${algorithm} is accepted`, async () => {
    const other = issuerKey('k', algorithm);
    assert.equal(((await said(signedToken(other, good), usual, [other])) as User).name, 'x:ann');
  });
}

test('a token of another issuer is left to other authorities', async () => {
  for (const iss of ['https://other', `${URL}/`, undefined, [URL]]) assert.equal(await withClaims({ iss }), undefined);
  for (const text of ['', 'abc', 'a.b.c', 'e30.e30.e30']) assert.equal(await said(text), undefined);
});

for (const [what, claims, words] of [
  ['for somebody else', { aud: 'other' }, /expected audience in \["kube"\] got "other"/],
  ['for nobody', { aud: undefined }, /expected audience in \["kube"\] got \[\]/],
  ['whose time is over', { exp: NOW - 1 }, /token is expired/],
  ['without an end', { exp: undefined }, /token is expired/],
  ['that ends some day', { exp: 'tomorrow' }, /claim "exp" is not a time/],
  ['before its time', { nbf: NOW + 301 }, /before the nbf time/],
  ['made in the future', { iat: NOW + 301 }, /before the iat time/],
  ['without a name', { sub: undefined }, /claim "sub" not present/],
  ['with a number for a name', { sub: 7 }, /claim "sub" is not a string/],
  ['with groups that are none', { groups: { a: 1 } }, /neither a string nor a list of strings/],
] as const) {
  test(`a token ${what} is rejected with the reason`, async () => {
    assert.match(String(await withClaims(claims)), words);
  });
}

test('an issuer’s clock may be five minutes ahead, and a token may name several audiences', async () => {
  assert.ok(typeof (await withClaims({ nbf: NOW + 300, iat: NOW + 300, aud: ['other', 'kube'] })) === 'object');
});

test('a token that none of the keys has signed is rejected', async () => {
  const stolen = { ...issuerKey('one', 'RS256'), id: 'one' };
  assert.match(String(await said(signedToken(stolen, good))), /the signature is wrong/);
  assert.match(
    String(await said(signedToken({ ...key, id: 'two' }, good))),
    /the issuer publishes no key "two" for RS256/,
  );
});

test('expressions define users, and conditions reject them', async () => {
  const entry: JwtEntry = {
    ...usual,
    claimMappings: {
      username: { expression: 'claims.who.name + "@corp"' },
      groups: { expression: 'claims.roles.split(",")' },
      uid: { claim: 'sub' },
      extra: [
        { key: 'example.com/tenant', valueExpression: 'claims.tenant' },
        { key: 'example.com/none', valueExpression: '""' },
      ],
    },
    claimValidationRules: [
      { claim: 'hd', requiredValue: 'example.com' },
      { expression: 'claims.level >= 2', message: 'the level is too low' },
    ],
    userValidationRules: [
      { expression: "!user.username.startsWith('system:')", message: 'nobody is the system' },
      { expression: "user.groups.all(group, !group.startsWith('system:m'))" },
    ],
  };
  const claims = { who: { name: 'ann' }, roles: 'a,b', tenant: 't', hd: 'example.com', level: 2 };
  assert.deepEqual(await withClaims(claims, entry), {
    name: 'ann@corp',
    uid: 'ann',
    groups: ['a', 'b', 'system:authenticated'],
    extra: { 'example.com/tenant': ['t'] },
    until: (NOW + 60) * 1000,
  });
  const refused = async (more: object) => String(await withClaims({ ...claims, ...more }, entry));
  assert.match(await refused({ level: 1 }), /'claims.level >= 2' failed: the level is too low/);
  assert.match(
    await refused({ hd: 'other.com' }),
    /required claim hd value does not match. Got = other.com, want = example.com/,
  );
  assert.match(await refused({ who: { name: 'system:admin' } }), /failed: nobody is the system/);
  assert.match(await refused({ roles: 'system:masters' }), /user info validation rule/);
  assert.match(await refused({ who: {} }), /error evaluating username claim expression: no such key: name/);
  assert.match(await refused({ who: { name: 1 } }), /error evaluating username claim expression/);
});

test('an unverified email address is no username', async () => {
  const entry = { ...usual, claimMappings: { username: { claim: 'email', prefix: '' } } };
  assert.equal(((await withClaims({ email: 'a@b', email_verified: true }, entry)) as User).name, 'a@b');
  assert.match(String(await withClaims({ email: 'a@b', email_verified: false }, entry)), /email not verified/);
});
