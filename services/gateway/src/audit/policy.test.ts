import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestInfo } from '@tidegate/request-info';
import type { Json } from '@tidegate/schema';
import { policyOf } from './read-policy.ts';

const ann = { name: 'ann', uid: '', groups: ['devs', 'system:authenticated'] };
const read = (...rules: Json[]) => policyOf({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules });

/** At which level a request is recorded under one rule of the level Request. */
function level(rule: object, method: string, url: string): string | undefined {
  return read({ level: 'Request', ...rule }).wanted(ann, requestInfo(method, url))?.level;
}

const POD = '/api/v1/namespaces/a/pods/p';

const about: ReadonlyArray<[rule: object, method: string, url: string, isMatch: boolean]> = [
  [{}, 'GET', POD, true],
  [{}, 'GET', '/metrics', true],
  [{ users: ['ann'] }, 'GET', POD, true],
  [{ users: ['bob'] }, 'GET', POD, false],
  [{ userGroups: ['ops', 'devs'] }, 'GET', POD, true],
  [{ userGroups: ['ops'] }, 'GET', POD, false],
  [{ verbs: ['watch'] }, 'GET', `${POD}?watch=1`, true],
  [{ verbs: ['watch'] }, 'GET', '/api/v1/namespaces/a/pods?watch=1', true],
  [{ verbs: ['delete', 'get'] }, 'GET', POD, true],
  [{ namespaces: ['a'] }, 'GET', POD, true],
  [{ namespaces: ['b'] }, 'GET', POD, false],
  [{ namespaces: [''] }, 'GET', '/api/v1/nodes/n', true],
  [{ namespaces: ['a'] }, 'GET', '/metrics', false],
  [{ resources: [{ group: '' }] }, 'GET', POD, true],
  [{ resources: [{ group: 'apps' }] }, 'GET', POD, false],
  [{ resources: [{ group: '', resources: ['pods'] }] }, 'GET', POD, true],
  [{ resources: [{ group: '', resources: ['pods'] }] }, 'GET', `${POD}/log`, false],
  [{ resources: [{ group: '', resources: ['pods/log'] }] }, 'GET', `${POD}/log`, true],
  [{ resources: [{ group: '', resources: ['pods/*'] }] }, 'GET', `${POD}/log`, true],
  [{ resources: [{ group: '', resources: ['*/log'] }] }, 'GET', `${POD}/log`, true],
  [{ resources: [{ group: '', resources: ['*'] }] }, 'GET', `${POD}/log`, true],
  [{ resources: [{ group: '', resources: ['pods'], resourceNames: ['p'] }] }, 'GET', POD, true],
  [{ resources: [{ group: '', resources: ['pods'], resourceNames: ['q'] }] }, 'GET', POD, false],
  [{ nonResourceURLs: ['/metrics'] }, 'GET', '/metrics', true],
  [{ nonResourceURLs: ['/live*'] }, 'GET', '/livez/ping', true],
  [{ nonResourceURLs: ['*'] }, 'GET', POD, false],
];

for (const [rule, method, url, isMatch] of about) {
  test(`a rule of ${JSON.stringify(rule)} is ${isMatch ? '' : 'not '}about ${method} ${url}`, () => {
    assert.equal(level(rule, method, url), isMatch ? 'Request' : undefined);
  });
}

test('the first matching rule applies, and the level None records nothing', () => {
  const policy = read({ level: 'None', users: ['ann'] }, { level: 'Metadata' });
  assert.equal(policy.wanted(ann, requestInfo('GET', POD)), undefined);
  assert.equal(policy.wanted({ ...ann, name: 'bob' }, requestInfo('GET', POD))?.level, 'Metadata');
});

test('bodies of secrets and tokens are never recorded, whatever a policy says', () => {
  const policy = read({ level: 'RequestResponse' });
  const levelOf = (method: string, url: string) => policy.wanted(ann, requestInfo(method, url))?.level;
  assert.equal(levelOf('GET', '/api/v1/secrets'), 'Metadata');
  assert.equal(levelOf('PUT', '/api/v1/namespaces/a/secrets/s'), 'Metadata');
  assert.equal(levelOf('POST', '/api/v1/namespaces/a/serviceaccounts/s/token'), 'Metadata');
  assert.equal(levelOf('POST', '/apis/authentication.k8s.io/v1/tokenreviews'), 'Metadata');
  assert.equal(levelOf('GET', '/api/v1/namespaces/a/serviceaccounts/s'), 'RequestResponse');
});

const wrong: ReadonlyArray<[policy: object, words: RegExp]> = [
  [
    { kind: 'Policy', rules: [] },
    /must be of the kind Policy and the version audit\.k8s\.io\/v1, not Policy of undefined/,
  ],
  [{ rules: [] }, /rules: there must be at least one/],
  [{ rules: [{ level: 'metadata' }] }, /rules\[0\]\.level: one of None, Metadata, .* did you mean Metadata\?/],
  [{ rules: [{}] }, /rules\[0\]\.level: one of .*, it is missing/],
  [{ rules: [{ level: 'None', user: ['a'] }] }, /unknown field "rules\[0\]\.user" \(did you mean users\?\)/],
  [{ rules: [{ level: 'None', users: 'a' }] }, /rules\[0\]\.users must be a list/],
  [{ rules: [{ level: 'None', users: [1] }] }, /rules\[0\]\.users\[0\] must be a text/],
  [{ rules: [{ level: 'None' }], omitStages: ['Received'] }, /omitStages\[0\]: one of RequestReceived/],
  [{ rules: [{ level: 'None', nonResourceURLs: ['x'] }] }, /nonResourceURLs\[0\]: a path begins with \//],
  [{ rules: [{ level: 'None', nonResourceURLs: ['/a*b'] }] }, /nonResourceURLs\[0\]: a \* stands at the end only/],
  [{ rules: [{ level: 'None', nonResourceURLs: ['/a'], namespaces: ['b'] }] }, /not both: make two rules/],
  [{ rules: [{ level: 'None', resources: [{ group: 'apps/v1' }] }] }, /resources\[0\]\.group: a group has no version/],
  [{ rules: [{ level: 'None', resources: [{ resourceNames: ['a'] }] }] }, /name the resources that they are of/],
];

for (const [policy, words] of wrong) {
  test(`${JSON.stringify(policy)} is an invalid policy`, () => {
    const whole = { ...('kind' in policy ? {} : { apiVersion: 'audit.k8s.io/v1', kind: 'Policy' }), ...policy };
    assert.throws(() => policyOf(whole as Json), words);
  });
}
