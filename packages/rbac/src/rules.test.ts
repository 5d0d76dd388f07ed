import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  allows,
  bootstrapPolicy,
  type Deed,
  type PolicyRule,
  placesOf,
  RuleIndex,
  toldRules,
  toldTexts,
  uncovered,
} from './index.ts';

const deed = (words: string): Deed => {
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
  test(`${toldRules([rule])} allows what it names, and nothing else`, () => {
    for (const words of allowed) assert.ok(allows(rule, deed(words)), words);
    for (const words of refused) assert.ok(!allows(rule, deed(words)), words);
  });
}

test('what is wanted beyond what is held is told right by right, and verbs of one object together', () => {
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
    toldRules(uncovered(held, wanted).rules),
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
  assert.equal(toldTexts(['a b', 'c']), '["a b" "c"]');
});

test('the recorded policy has every sort of object, and every binding finds its role', () => {
  const all = bootstrapPolicy();
  const roles = new Set(all.map(({ kind, namespace = '', name }) => `${kind}/${namespace}/${name}`));
  for (const { namespace = '', roleRef } of all) {
    if (roleRef === undefined) continue;
    assert.ok(roles.has(`${roleRef.kind}/${roleRef.kind === 'Role' ? namespace : ''}/${roleRef.name}`), roleRef.name);
  }
  assert.equal(new Set(all.map(({ kind }) => kind)).size, 4);
});

test('the index of a role allows what its rules allow, one by one', () => {
  const all = bootstrapPolicy().flatMap(({ rules = [] }) => rules);
  const more: PolicyRule[] = [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*/status'] },
    { verbs: ['get'], apiGroups: [''], resources: ['*'], resourceNames: ['x'] },
    { verbs: ['get'], nonResourceURLs: ['/logs*'] },
    { verbs: ['get'], apiGroups: [''] },
    {},
  ];
  const rules = [...all, ...more];
  const deeds: Deed[] = ['/', '/logs/x', '/healthz', '/other'].map((path) => ({
    isResource: false,
    verb: 'get',
    path,
  }));
  for (const verb of ['get', 'create', 'escalate']) {
    for (const group of ['', 'apps', 'rbac.authorization.k8s.io', 'example.com']) {
      for (const resource of ['pods', 'deployments', 'clusterroles', 'nodes', '*', 'things']) {
        for (const subresource of ['', 'status', 'log', '*']) {
          for (const name of ['', 'x']) deeds.push({ isResource: true, verb, group, resource, subresource, name });
        }
      }
    }
  }
  for (let from = 0; from < rules.length; from += 7) {
    const some = [...rules.slice(from, from + 7), ...more];
    const index = new RuleIndex(some);
    for (const deed of deeds) {
      const told = `${JSON.stringify(some)} ${JSON.stringify(deed)}`;
      assert.equal(
        index.allow(deed, placesOf(deed)),
        some.some((rule) => allows(rule, deed)),
        told,
      );
    }
  }
});
