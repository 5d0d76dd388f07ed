import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DependentsState } from '../port.ts';
import { type OwnerState, type Subject, verdictOn } from './verdict.ts';

const NO_DEPENDENTS: DependentsState = { exist: false, wait: false, block: false };
const owner = (uid: string, blockOwnerDeletion = true) => ({ uid, blockOwnerDeletion });
const verdictFor = (subject: Partial<Subject>, states: OwnerState[] = [], dependents: Partial<DependentsState> = {}) =>
  verdictOn({ isDeleting: false, finalizers: [], owners: [], ...subject }, states, { ...NO_DEPENDENTS, ...dependents });
const owners = [owner('a'), owner('b')];

test('An object without owners, or whose owners all exist, stays.', () => {
  assert.deepEqual(verdictFor({}), { kind: 'settled' });
  assert.deepEqual(verdictFor({ owners }, ['exists', 'exists']), { kind: 'settled' });
});

test('An object that has lost all owners is deleted, with the propagation of its own finalizers.', () => {
  const kindOf = (finalizers: string[]) => verdictFor({ owners, finalizers }, ['absent', 'absent']);
  assert.deepEqual(kindOf([]), { kind: 'delete', propagation: 'Background' });
  assert.deepEqual(kindOf(['x', 'orphan']), { kind: 'delete', propagation: 'Orphan' });
  assert.deepEqual(kindOf(['foregroundDeletion']), { kind: 'delete', propagation: 'Foreground' });
});

test('An object that keeps an owner loses the references to absent and to waiting owners.', () => {
  const verdict = { kind: 'detach', owners: [owner('a')] };
  assert.deepEqual(verdictFor({ owners }, ['exists', 'absent']), verdict);
  assert.deepEqual(verdictFor({ owners }, ['exists', 'waits']), verdict);
});

test('One owner of unknown state is enough to leave an object alone.', () => {
  assert.deepEqual(verdictFor({ owners }, ['absent', 'unknown']), {
    kind: 'undecidable',
    why: 'unknown',
    owner: owner('b'),
  });
  assert.deepEqual(verdictFor({ owners }, ['unreachable', 'exists']), {
    kind: 'undecidable',
    why: 'unreachable',
    owner: owner('a'),
  });
});

test('An object whose owner waits is deleted, in the foreground when it has dependents itself.', () => {
  assert.deepEqual(verdictFor({ owners: [owner('a')] }, ['waits']), { kind: 'delete', propagation: 'Background' });
  const middle = verdictFor({ owners }, ['waits', 'absent'], { exist: true });
  assert.deepEqual(middle, { kind: 'delete', propagation: 'Foreground' });
});

test('In a circle of objects that wait for each other, one stops blocking before it is deleted.', () => {
  const circle = { exist: true, wait: true };
  const freed = [owner('a', false)];
  assert.deepEqual(verdictFor({ owners: [owner('a')] }, ['waits'], circle), { kind: 'unblock', owners: freed });
  assert.deepEqual(verdictFor({ owners: freed }, ['waits'], circle), { kind: 'delete', propagation: 'Foreground' });
});

test('An owner that is being deleted orphans its dependents, waits for them, or is released.', () => {
  const deleted = (finalizers: string[], block: boolean) =>
    verdictFor({ isDeleting: true, finalizers, owners }, [], { block });
  assert.deepEqual(deleted(['orphan', 'foregroundDeletion'], true), { kind: 'orphan' });
  assert.deepEqual(deleted(['foregroundDeletion'], true), { kind: 'wait' });
  assert.deepEqual(deleted(['foregroundDeletion', 'x'], false), { kind: 'release', finalizers: ['x'] });
  assert.deepEqual(deleted(['x'], true), { kind: 'settled' });
});
