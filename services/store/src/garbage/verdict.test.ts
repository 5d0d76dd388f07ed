import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DependentsState, type OwnerState, type Subject, verdictOn } from './verdict.ts';

const NOBODY: DependentsState = { areThere: false, wait: false, block: false };
const owner = (uid: string, blockOwnerDeletion = true) => ({ uid, blockOwnerDeletion });
const judge = (subject: Partial<Subject>, states: OwnerState[] = [], dependents: Partial<DependentsState> = {}) =>
  verdictOn({ isDeleting: false, finalizers: [], owners: [], ...subject }, states, { ...NOBODY, ...dependents });
const owners = [owner('a'), owner('b')];

test('who has no owners, or only living ones, stays', () => {
  assert.deepEqual(judge({}), { kind: 'settled' });
  assert.deepEqual(judge({ owners }, ['there', 'there']), { kind: 'settled' });
});

test('who has lost all owners is deleted, as its own finalizers say', () => {
  const kindOf = (finalizers: string[]) => judge({ owners, finalizers }, ['absent', 'absent']);
  assert.deepEqual(kindOf([]), { kind: 'delete', propagation: 'Background' });
  assert.deepEqual(kindOf(['x', 'orphan']), { kind: 'delete', propagation: 'Orphan' });
  assert.deepEqual(kindOf(['foregroundDeletion']), { kind: 'delete', propagation: 'Foreground' });
});

test('who keeps an owner forgets the absent ones and those that wait', () => {
  const verdict = { kind: 'detach', owners: [owner('a')] };
  assert.deepEqual(judge({ owners }, ['there', 'absent']), verdict);
  assert.deepEqual(judge({ owners }, ['there', 'waits']), verdict);
});

test('one owner of which nothing can be said is enough to leave an object alone', () => {
  assert.deepEqual(judge({ owners }, ['absent', 'unknown']), { kind: 'helpless', why: 'unknown', owner: owner('b') });
  assert.deepEqual(judge({ owners }, ['elsewhere', 'there']), {
    kind: 'helpless',
    why: 'elsewhere',
    owner: owner('a'),
  });
});

test('whose owner waits is deleted, in the foreground when it has dependents itself', () => {
  assert.deepEqual(judge({ owners: [owner('a')] }, ['waits']), { kind: 'delete', propagation: 'Background' });
  const middle = judge({ owners }, ['waits', 'absent'], { areThere: true });
  assert.deepEqual(middle, { kind: 'delete', propagation: 'Foreground' });
});

test('in a circle of objects that wait, one stops blocking before it is deleted', () => {
  const circle = { areThere: true, wait: true };
  const freed = [owner('a', false)];
  assert.deepEqual(judge({ owners: [owner('a')] }, ['waits'], circle), { kind: 'unblock', owners: freed });
  assert.deepEqual(judge({ owners: freed }, ['waits'], circle), { kind: 'delete', propagation: 'Foreground' });
});

test('a deleted owner lets its dependents forget it, waits for them, or is released', () => {
  const deleted = (finalizers: string[], block: boolean) =>
    judge({ isDeleting: true, finalizers, owners }, [], { block });
  assert.deepEqual(deleted(['orphan', 'foregroundDeletion'], true), { kind: 'orphan' });
  assert.deepEqual(deleted(['foregroundDeletion'], true), { kind: 'wait' });
  assert.deepEqual(deleted(['foregroundDeletion', 'x'], false), { kind: 'release', finalizers: ['x'] });
  assert.deepEqual(deleted(['x'], true), { kind: 'settled' });
});
