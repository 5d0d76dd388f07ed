import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issuerOfOptions, type OidcConfig } from './oidc-options.ts';

const none = {
  oidcIssuerUrl: '',
  oidcClientId: '',
  oidcUsernameClaim: 'sub',
  oidcUsernamePrefix: '',
  oidcGroupsClaim: '',
  oidcGroupsPrefix: '',
  oidcRequiredClaim: [],
  oidcSigningAlgs: ['RS256'],
  oidcCaFile: '',
};
const some = { ...none, oidcIssuerUrl: 'https://i', oidcClientId: 'kube' };
const read = (config: Partial<OidcConfig>) => issuerOfOptions({ ...some, ...config }, ['https://own']);

test('no issuer is configured without its options', () => {
  assert.equal(issuerOfOptions(none, []), undefined);
});

test('usernames get the issuer as prefix, except email addresses and where a prefix is configured', () => {
  assert.deepEqual(read({})?.rules.username, { claim: 'sub', prefix: 'https://i#' });
  assert.deepEqual(read({ oidcUsernameClaim: 'email' })?.rules.username, { claim: 'email', prefix: '' });
  assert.deepEqual(read({ oidcUsernamePrefix: '-' })?.rules.username, { claim: 'sub', prefix: '' });
  assert.deepEqual(read({ oidcUsernamePrefix: 'x:' })?.rules.username, { claim: 'sub', prefix: 'x:' });
});

test('groups, required claims and algorithms are taken from the options', () => {
  const settings = read({ oidcGroupsClaim: 'roles', oidcGroupsPrefix: 'g:', oidcRequiredClaim: ['hd=a=b'] });
  assert.deepEqual(settings?.rules.groups, { claim: 'roles', prefix: 'g:' });
  assert.deepEqual([...(settings?.rules.required ?? [])], [['hd', 'a=b']]);
  assert.deepEqual(settings?.algorithms, ['RS256']);
});

for (const [config, words] of [
  [{ oidcClientId: '' }, /must be specified together/],
  [{ oidcIssuerUrl: 'http://i' }, /url: Invalid value: "http:\/\/i": URL scheme must be https/],
  [{ oidcIssuerUrl: 'https://own' }, /must not overlap with disallowed issuers/],
  [{ oidcSigningAlgs: ['RS256', 'none'] }, /unsupported signing alg "none"; supported are RS256, RS384/],
  [{ oidcSigningAlgs: ['HS256'] }, /unsupported signing alg "HS256"/],
  [{ oidcRequiredClaim: ['hd'] }, /--oidc-required-claim takes CLAIM=VALUE, not "hd"/],
  [{ oidcCaFile: '/nowhere' }, /--oidc-ca-file: cannot read \/nowhere/],
] as const) {
  test(`${JSON.stringify(config)} is refused`, () => {
    assert.throws(() => read(config), { message: words });
  });
}
