import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInRegistry, type Kind } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { equivalentTargets, type RuleTarget } from './attributes.ts';
import { hooksOf } from './hooks.ts';
import { labelsOf, matcherOf, matchingTarget } from './matcher.ts';

const registry = builtInRegistry();

function targetOf(path: string, operation: RuleTarget['operation'] = 'CREATE'): RuleTarget {
  const [group = '', version = '', resource = '', subresource = ''] = path.split('/');
  return { operation, kind: registry.find(group, version, resource) as Kind, resource, subresource };
}

const ruleWith = (rule: JsonObject) => ({
  operations: ['*'],
  apiGroups: ['*'],
  apiVersions: ['*'],
  resources: ['*'],
  ...rule,
});

function isMatched(rule: JsonObject, path: string, operation?: RuleTarget['operation']): boolean {
  const matcher = matcherOf({ rules: [ruleWith(rule)], matchPolicy: 'Exact' });
  return matchingTarget(matcher, registry, { target: targetOf(path, operation), name: 'a' }) !== undefined;
}

const PODS = '/v1/pods';
const cases: ReadonlyArray<[rule: JsonObject, path: string, expected: boolean]> = [
  [{}, PODS, true],
  [{}, `${PODS}/status`, false],
  [{ resources: ['*/*'] }, `${PODS}/status`, true],
  [{ resources: ['*/*'] }, PODS, true],
  [{ resources: ['*/status'] }, `${PODS}/status`, true],
  [{ resources: ['*/status'] }, PODS, false],
  [{ resources: ['pods/*'] }, `${PODS}/exec`, true],
  [{ resources: ['pods/*'] }, PODS, true],
  [{ resources: ['services', 'pods/exec'] }, `${PODS}/exec`, true],
  [{ resources: ['services'] }, PODS, false],
  [{ apiGroups: ['apps'] }, PODS, false],
  [{ apiGroups: [''] }, PODS, true],
  [{ apiVersions: ['v1beta1'] }, PODS, false],
  [{ operations: ['UPDATE', 'DELETE'] }, PODS, false],
  [{ scope: 'Namespaced' }, PODS, true],
  [{ scope: 'Cluster' }, PODS, false],
  [{ scope: 'Cluster' }, '/v1/namespaces', true],
  [{ scope: 'Namespaced' }, '/v1/namespaces', false],
  [{ scope: '*' }, '/v1/nodes', true],
  [{ resourceNames: ['a', 'b'] }, PODS, true],
  [{ resourceNames: ['b'] }, PODS, false],
];

test('rules match operations, groups, versions, resources, subresources and a scope', () => {
  for (const [rule, path, expected] of cases) {
    assert.equal(isMatched(rule, path), expected, `${JSON.stringify(rule)} of ${path}`);
  }
  assert.equal(isMatched({ operations: ['CONNECT'] }, `${PODS}/exec`, 'CONNECT'), false);
  assert.equal(isMatched({ operations: ['CONNECT'], resources: ['pods/exec'] }, `${PODS}/exec`, 'CONNECT'), true);
});

test('a webhook configuration is read, with defaults for missing fields', () => {
  const [defaulted, other] = hooksOf({
    webhooks: [
      {
        name: 'a.b.c',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        namespaceSelector: {},
        objectSelector: {},
      },
      {
        name: 'd.e.f',
        sideEffects: 'Some',
        admissionReviewVersions: ['v2', 'v1beta1', 'v1'],
        failurePolicy: 'Ignore',
        matchPolicy: 'Exact',
        reinvocationPolicy: 'IfNeeded',
        timeoutSeconds: 3,
        objectSelector: { matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['b'] }] },
      },
    ],
  });
  assert.ok(defaulted !== undefined && other !== undefined);
  assert.deepEqual(
    [defaulted.review, defaulted.timeoutMs, defaulted.ignoresFailure, defaulted.isHarmless],
    ['v1', 10_000, false, true],
  );
  assert.deepEqual([defaulted.matcher.isEquivalent, defaulted.reinvoked], [true, false]);
  assert.deepEqual([defaulted.matcher.namespaceSelector, defaulted.matcher.objectSelector], [undefined, undefined]);
  assert.deepEqual(
    [other.review, other.timeoutMs, other.ignoresFailure, other.isHarmless],
    ['v1beta1', 3000, true, false],
  );
  assert.deepEqual([other.matcher.isEquivalent, other.reinvoked], [false, true]);
  const matches = (labels: Record<string, string>) =>
    other.matcher.objectSelector?.matches(labelsOf({ metadata: { labels } }));
  assert.deepEqual([matches({ a: 'b' }), matches({ a: 'c' }), matches({})], [false, true, true]);
});

test('equivalent targets include other versions and groups, with their subresources', () => {
  const namesOf = (path: string) => equivalentTargets(registry, targetOf(path)).map(({ kind }) => kind.apiVersion);
  assert.deepEqual(namesOf('autoscaling/v1/horizontalpodautoscalers'), ['autoscaling/v2']);
  assert.deepEqual(namesOf('autoscaling/v2/horizontalpodautoscalers/status'), ['autoscaling/v1']);
  assert.deepEqual(namesOf('events.k8s.io/v1/events'), ['v1']);
  assert.deepEqual(namesOf(PODS), []);
});

test('exclusions hold in every version, and an empty rule list may match everything', () => {
  const target = targetOf('autoscaling/v2/horizontalpodautoscalers');
  const v1 = ruleWith({ apiGroups: ['autoscaling'], apiVersions: ['v1'] });
  const found = (from: JsonObject) =>
    matchingTarget(matcherOf(from, { rules: 'resourceRules', mayBeAll: true }), registry, { target, name: '' })?.kind
      .apiVersion;
  assert.equal(found({ resourceRules: [v1] }), 'autoscaling/v1');
  assert.equal(found({ resourceRules: [v1], matchPolicy: 'Exact' }), undefined);
  assert.equal(found({}), 'autoscaling/v2');
  assert.equal(found({ excludeResourceRules: [v1] }), undefined);
  assert.equal(found({ excludeResourceRules: [v1], matchPolicy: 'Exact' }), 'autoscaling/v2');
});
