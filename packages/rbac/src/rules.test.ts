import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  allows,
  bootstrapPolicy,
  indexKeysOf,
  type PolicyRule,
  quotedTexts,
  type RuleAttributes,
  RuleIndex,
  rulesText,
  uncovered,
} from './index.ts';

const attributesOf = (words: string): RuleAttributes => {
  const [verb = '', place = '', name = ''] = words.split(' ');
  if (place.startsWith('/')) return { isResource: false, verb, path: place };
  const [resource = '', ...below] = (place.split(':')[1] as string).split('/');
  return { isResource: true, verb, group: place.split(':')[0] as string, resource, subresource: below.join('/'), name };
};

const cases: ReadonlyArray<[rule: PolicyRule, allowed: string[], refused: string[]]> = [
  [
    { verbs: ['get', 'list'], apiGroups: ['', 'apps'], resources: ['pods', 'deployments/scale'] },
    ['get :pods x', 'list :pods', 'get apps:deployments/scale x', 'get apps:pods x'],
    ['watch :pods', 'get :pods/log x', 'get apps:deployments x', 'get batch:pods x', 'get /pods'],
  ],
  [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*/scale'] },
    ['patch apps:deployments/scale x', 'get example.com:widgets/scale x'],
    ['get apps:deployments x', 'get apps:deployments/status x', 'get apps:scale x'],
  ],
  [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }, ['get :pods/log x', 'escalate a.b:c'], ['get /metrics']],
  [
    { verbs: ['get', 'create'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['a'] },
    ['get :configmaps a'],
    ['get :configmaps b', 'create :configmaps', 'get :configmaps'],
  ],
  [
    { verbs: ['get'], nonResourceURLs: ['/healthz', '/logs/*', '/x*'] },
    ['get /healthz', 'get /logs/a/b', 'get /logs/', 'get /x', 'get /xy'],
    ['get /healthz/a', 'get /logs', 'post /healthz', 'get :pods x'],
  ],
  [{ verbs: ['get'], nonResourceURLs: ['*'] }, ['get /', 'get /anything'], ['head /']],
  [{ verbs: [] }, [], ['get :pods x', 'get /']],
];

for (const [rule, allowed, refused] of cases) {
  test(`${rulesText([rule])} allows what it names, and nothing else`, () => {
    for (const words of allowed) assert.ok(allows(rule, attributesOf(words)), words);
    for (const words of refused) assert.ok(!allows(rule, attributesOf(words)), words);
  });
}

test('uncovered permissions are listed one by one, with the verbs of one object merged', () => {
  const held = [
    { verbs: ['get'], apiGroups: [''], resources: ['pods', '*/log'] },
    { verbs: ['*'], apiGroups: ['apps'], resources: ['*'], resourceNames: ['a'] },
    { verbs: ['get'], nonResourceURLs: ['/logs/*'] },
  ];
  const wanted = [
    { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods', 'pods/log'] },
    { verbs: ['get'], apiGroups: ['apps'], resources: ['deployments'], resourceNames: ['a', 'b'] },
    { verbs: ['get'], apiGroups: ['apps'], resources: ['deployments'] },
    { verbs: ['get'], nonResourceURLs: ['/logs/x', '/logs/*', '/logs'] },
  ];
  assert.equal(
    rulesText(uncovered(held, wanted).rules),
    [
      '{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}',
      '{APIGroups:[""], Resources:["pods/log"], Verbs:["list" "watch"]}',
      '{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["b"], Verbs:["get"]}',
      '{APIGroups:["apps"], Resources:["deployments"], Verbs:["get"]}',
      '{NonResourceURLs:["/logs"], Verbs:["get"]}',
    ].join('\n'),
  );
  const everything = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }];
  assert.deepEqual(uncovered(everything, wanted.slice(0, 3)), { rules: [], isCut: false });
  assert.equal(quotedTexts(['a b', 'c']), '["a b" "c"]');
});

test('the recorded policy has objects of all four kinds, and the role of every binding exists', () => {
  const all = bootstrapPolicy();
  const roles = new Set(all.map(({ kind, namespace = '', name }) => `${kind}/${namespace}/${name}`));
  for (const { namespace = '', roleRef } of all) {
    if (roleRef === undefined) continue;
    assert.ok(roles.has(`${roleRef.kind}/${roleRef.kind === 'Role' ? namespace : ''}/${roleRef.name}`), roleRef.name);
  }
  assert.equal(new Set(all.map(({ kind }) => kind)).size, 4);
});

test('the index of a role allows exactly what its rules allow one by one', () => {
  const all = bootstrapPolicy().flatMap(({ rules = [] }) => rules);
  const more: PolicyRule[] = [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*/status'] },
    { verbs: ['get'], apiGroups: [''], resources: ['*'], resourceNames: ['x'] },
    { verbs: ['get'], nonResourceURLs: ['/logs*'] },
    { verbs: ['get'], apiGroups: [''] },
    {},
  ];
  const rules = [...all, ...more];
  const requests: RuleAttributes[] = ['/', '/logs/x', '/healthz', '/other'].map((path) => ({
    isResource: false,
    verb: 'get',
    path,
  }));
  for (const verb of ['get', 'create', 'escalate']) {
    for (const group of ['', 'apps', 'rbac.authorization.k8s.io', 'example.com']) {
      for (const resource of ['pods', 'deployments', 'clusterroles', 'nodes', '*', 'things']) {
        for (const subresource of ['', 'status', 'log', '*']) {
          for (const name of ['', 'x']) requests.push({ isResource: true, verb, group, resource, subresource, name });
        }
      }
    }
  }
  for (let from = 0; from < rules.length; from += 7) {
    const some = [...rules.slice(from, from + 7), ...more];
    const index = new RuleIndex(some);
    for (const attributes of requests) {
      const description = `${JSON.stringify(some)} ${JSON.stringify(attributes)}`;
      assert.equal(
        index.allow(attributes, indexKeysOf(attributes)),
        some.some((rule) => allows(rule, attributes)),
        description,
      );
    }
  }
});
