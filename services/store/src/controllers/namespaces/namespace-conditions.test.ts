import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Condition, conditionsAfter, type Remains } from './namespace-conditions.ts';

const NOTHING: Remains = { objects: new Map(), finalizers: new Map(), failures: [], undiscovered: new Map() };
const EARLY = '2026-01-01T00:00:00Z';
const LATE = '2026-01-01T00:01:00Z';
const shown = (conditions: readonly Condition[] | undefined) =>
  conditions?.map(({ type, status, reason, lastTransitionTime }) => [type, status, reason, lastTransitionTime]);

test('The messages count the remaining objects by resource and by finalizer, in order.', () => {
  const remains = {
    objects: new Map([
      ['pods.', 2],
      ['deployments.apps', 1],
    ]),
    finalizers: new Map([
      ['example.com/z', 1],
      ['example.com/a', 2],
    ]),
    failures: [],
    undiscovered: new Map(),
  };
  const messages = conditionsAfter([], remains, EARLY)?.map(({ message }) => message);
  assert.deepEqual(messages, [
    'All resources successfully discovered',
    'All legacy kube types successfully parsed',
    'All content successfully deleted, may be waiting on finalization',
    'Some resources are remaining: deployments.apps has 1 resource instances, pods. has 2 resource instances',
    'Some content in the namespace has finalizers remaining: example.com/a in 2 resource instances, example.com/z in 1 resource instances',
  ]);
});

test('A condition keeps its time until its status changes, and unchanged conditions are not written again.', () => {
  const first = conditionsAfter([], { ...NOTHING, objects: new Map([['pods.', 2]]) }, EARLY) ?? [];
  assert.equal(conditionsAfter(first, { ...NOTHING, objects: new Map([['pods.', 2]]) }, LATE), undefined);
  const fewer = conditionsAfter(first, { ...NOTHING, objects: new Map([['pods.', 1]]) }, LATE) ?? [];
  assert.ok(fewer.every(({ lastTransitionTime }) => lastTransitionTime === EARLY));
  const failed = conditionsAfter(fewer, { ...NOTHING, failures: ['b', 'a'] }, LATE);
  assert.deepEqual(shown(failed)?.slice(2), [
    ['NamespaceDeletionContentFailure', 'True', 'ContentDeletionFailed', LATE],
    ['NamespaceContentRemaining', 'False', 'ContentRemoved', LATE],
    ['NamespaceFinalizersRemaining', 'False', 'ContentHasNoFinalizers', EARLY],
  ]);
  assert.equal(failed?.[2]?.message, 'Failed to delete all resource types, 2 remaining: a, b');
});

test('Conditions of other types are kept.', () => {
  const other = { type: 'Other', status: 'True', reason: 'R', message: 'm', lastTransitionTime: EARLY };
  assert.deepEqual(conditionsAfter([other], NOTHING, LATE)?.[0], other);
});

test('The message names the groups whose server does not answer, in order, each with its reason.', () => {
  const undiscovered = new Map([
    ['b.example.com/v1', 'stale GroupVersion discovery: b.example.com/v1'],
    ['a.example.com/v1', 'stale GroupVersion discovery: a.example.com/v1'],
  ]);
  const [first] = conditionsAfter([], { ...NOTHING, undiscovered }, EARLY) ?? [];
  const { type, status, reason, message } = first as Condition;
  assert.deepEqual([type, status, reason], ['NamespaceDeletionDiscoveryFailure', 'True', 'DiscoveryFailed']);
  assert.equal(
    message,
    'Discovery failed for some groups, 2 failing: unable to retrieve the complete list of server APIs: a.example.com/v1: stale GroupVersion discovery: a.example.com/v1, b.example.com/v1: stale GroupVersion discovery: b.example.com/v1',
  );
});
