import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { FieldError } from '@tidegate/status';
import { temporaryDir } from '@tidegate/testkit';
import type { JwtEntry } from '../tokens/issuer-form.ts';
import { readIssuers } from '../tokens/read-issuers.ts';
import { readAuthenticationConfiguration } from './authentication-configuration.ts';

const place = temporaryDir('authentication-configuration');
after(() => place.remove());

const file = join(place.path, 'config.yaml');
const issuer = { url: 'https://issuer.example', audiences: ['kube'] };
const claimMappings = { username: { claim: 'sub', prefix: '' } };

function read(content: object, version = 'v1') {
  const head = { apiVersion: `apiserver.config.k8s.io/${version}`, kind: 'AuthenticationConfiguration' };
  writeFileSync(file, JSON.stringify({ ...head, ...content }));
  return readAuthenticationConfiguration(file, ['https://kubernetes.default.svc']);
}

test('anonymous requests are allowed at the paths of the file, everywhere, or nowhere', () => {
  assert.equal(read({}).anonymous, undefined);
  assert.equal(read({ anonymous: { enabled: true } }, 'v1beta1').anonymous, 'all');
  const none = { exact: new Set(), below: [] };
  assert.deepEqual(read({ anonymous: { enabled: false } }).anonymous, none);
  const conditions = [{ path: '/livez' }];
  assert.deepEqual(read({ anonymous: { enabled: true, conditions } }).anonymous, {
    ...none,
    exact: new Set(['/livez']),
  });
});

test('an issuer is read with all optional settings', () => {
  const { issuers } = read({ jwt: [{ issuer: { ...issuer, discoveryURL: 'https://other/x' }, claimMappings }] });
  const [{ rules, algorithms, ...rest } = { rules: undefined, algorithms: [] }] = issuers;
  assert.deepEqual(rest, { url: issuer.url, discoveryUrl: 'https://other/x', authority: '', audiences: ['kube'] });
  assert.equal(algorithms.length, 9);
  assert.deepEqual(rules?.username, { claim: 'sub', prefix: '' });
});

const jwt = (more: object) => ({ jwt: [{ issuer, claimMappings, ...more }] });

for (const [content, words] of [
  [{ jwts: [] }, /config.yaml: strict decoding error: unknown field "jwts" \(did you mean jwt\?\)$/],
  [jwt({ issuers: 1 }), /unknown field "jwt\[0\].issuers"/],
  [jwt({ issuer: { ...issuer, audiences: 'kube' } }), /jwt\[0\].issuer.audiences must be a list/],
  [{ anonymous: { enabled: 'yes' } }, /anonymous.enabled must be true or false/],
  [
    { anonymous: { conditions: [{ path: '/' }] } },
    /anonymous.conditions: Invalid value: .*: enabled should be set to true when conditions are defined/,
  ],
  [
    jwt({ issuer: {} }),
    /\[jwt\[0\].issuer.url: Required value, jwt\[0\].issuer.audiences: Required value: at least one/,
  ],
  [jwt({ issuer: { ...issuer, url: 'http://a' } }), /url: Invalid value: "http:\/\/a": URL scheme must be https/],
  [jwt({ issuer: { ...issuer, url: 'https://u:p@a' } }), /URL must not contain a username or password/],
  [jwt({ issuer: { ...issuer, url: 'https://a?b#c' } }), /a query, .*URL must not contain a fragment/],
  [jwt({ issuer: { ...issuer, discoveryURL: `${issuer.url}/` } }), /discoveryURL must be different from URL/],
  [
    jwt({ issuer: { ...issuer, url: 'https://kubernetes.default.svc' } }),
    /URL must not overlap with disallowed issuers: \[https:\/\/kubernetes.default.svc\]/,
  ],
  [
    jwt({ issuer: { ...issuer, audiences: ['a', 'b'] } }),
    /audienceMatchPolicy must be MatchAny for multiple audiences/,
  ],
  [
    jwt({ issuer: { ...issuer, audiences: ['a', 'a'], audienceMatchPolicy: 'MatchAny' } }),
    /audiences\[1\]: Duplicate value: "a"/,
  ],
  [jwt({ issuer: { ...issuer, certificateAuthority: 'x' } }), /certificateAuthority: Invalid value: "<omitted>"/],
  [jwt({ issuer: { ...issuer, egressSelectorType: 'cluster' } }), /egress selectors are not supported/],
  [{ jwt: [jwt({}).jwt[0], jwt({}).jwt[0]] }, /jwt\[1\].issuer.url: Duplicate value: "https:\/\/issuer.example"/],
  [jwt({ claimMappings: {} }), /claimMappings.username: Required value: claim or expression is required/],
  [jwt({ claimMappings: { username: { claim: 'sub' } } }), /username.prefix: Required value: prefix is required when/],
  [jwt({ claimMappings: { username: { claim: 'a', expression: 'b' } } }), /claim and expression can't both be set/],
  [
    jwt({ claimMappings: { username: { expression: 'claims.sub', prefix: 'x' } } }),
    /prefix: Invalid value: "x": may not be specified when expression is set/,
  ],
  [
    jwt({ claimMappings: { username: { expression: 'claims.' } } }),
    /compilation failed: ERROR: <input>:1:8: Syntax error/,
  ],
  [jwt({ claimMappings: { username: { expression: 'user.name' } } }), /undeclared reference to 'user'/],
  [jwt({ claimMappings: { username: { expression: 'claims.email' } } }), /claims.email_verified must be used in/],
  [
    jwt({ claimMappings: { ...claimMappings, extra: [{ key: 'Foo' }] } }),
    /extra\[0\].key: Invalid value: "Foo": must be a domain-prefixed path .*must be lowercase.*valueExpression: Required/,
  ],
  [
    jwt({ claimMappings: { ...claimMappings, extra: [{ key: 'a.k8s.io/b', valueExpression: "''" }] } }),
    /k8s.io, kubernetes.io and their subdomains are reserved/,
  ],
  [jwt({ claimValidationRules: [{}] }), /claimValidationRules\[0\]: Required value: claim or expression is required/],
  [jwt({ claimValidationRules: [{ expression: '1' }] }), /expression: Invalid value: "1": must evaluate to bool/],
  [jwt({ claimValidationRules: [{ claim: 'a' }, { claim: 'a' }] }), /\[1\].claim: Duplicate value: "a"/],
  [jwt({ claimValidationRules: [{ claim: 'a', message: 'm' }] }), /may not be specified when claim is set/],
  [jwt({ userValidationRules: [{}] }), /userValidationRules\[0\].expression: Required value/],
  [jwt({ userValidationRules: [{ expression: 'user.nme == ""' }] }), /undefined field 'nme'/],
] as const) {
  test(`${JSON.stringify(content).slice(0, 100)} is refused`, () => {
    assert.throws(() => read(content), { message: words });
  });
}

test('a file of another kind is refused', () => {
  assert.throws(() => read({}, 'v2'), /it must be of the kind AuthenticationConfiguration and one of the versions/);
  assert.throws(() => readAuthenticationConfiguration(join(place.path, 'none'), []), /none: ENOENT/);
});

test('an email address may be the username when an expression checks that it is verified', () => {
  const username = { expression: 'claims.email' };
  const claimValidationRules = [{ expression: 'claims.?email_verified.orValue(true) == true' }];
  assert.equal(read(jwt({ claimMappings: { username }, claimValidationRules })).issuers.length, 1);
});

test('mistakes in issuers are reported in the recorded words of kube-apiserver', () => {
  const recorded = JSON.parse(readFileSync(join(import.meta.dirname, 'recorded-mistakes.json'), 'utf8')) as {
    jwt: JwtEntry[];
    mistakes: string[];
  };
  const mistakes: FieldError[] = [];
  readIssuers(recorded.jwt, { mistakes, ownIssuers: [] });
  const reported = mistakes.map(({ field, message }) => `${field}: ${message}`);
  assert.deepEqual(reported.sort(), recorded.mistakes.sort());
});
