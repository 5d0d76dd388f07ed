import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, answered, LOAD, silent, THRESHOLDS } from '../testing/answers.ts';
import { Replica } from './replica.ts';

const FAILS = { ok: false, message: 'away' };

test('One failure of a check is not accepted; two in a row are, with the reason.', () => {
  const one = new Replica('there:1', THRESHOLDS);
  const failing = answered(answer({ checks: { postgres: FAILS } }));
  assert.deepEqual(one.observe(answered(), 0), []);
  assert.deepEqual(one.observe(failing, 1000), []);
  assert.ok(one.checks.every(({ passes }) => passes));
  assert.deepEqual(one.observe(failing, 2000), [{ check: 'postgres', passes: false, message: 'away' }]);
  const postgres = one.checks.find(({ name }) => name === 'postgres');
  assert.deepEqual([postgres?.passes, postgres?.message, postgres?.since], [false, 'away', 2000]);
  assert.deepEqual(one.observe(answered(), 3000), []);
  assert.deepEqual(one.observe(answered(), 4000), [{ check: 'postgres', passes: true, message: '' }]);
});

test('One lost answer does not make a replica unreachable; the last answer of an unreachable replica is still shown.', () => {
  const one = new Replica('there:1', THRESHOLDS);
  one.observe(answered(), 0);
  one.observe(silent(), 1000);
  assert.ok(one.isReachable);
  assert.deepEqual(one.observe(silent('refused'), 2000), [{ check: 'reachable', passes: false, message: 'refused' }]);
  assert.equal(one.isReachable, false);
  assert.deepEqual([one.part, one.instance, one.revision, one.load], ['store', 'store-1', 5, undefined]);
  assert.deepEqual(
    one.checks.map(({ name, passes }) => [name, passes]),
    [
      ['reachable', false],
      ['ping', true],
      ['postgres', true],
    ],
  );
});

test('A replica without an answer has its address as its name, and is accepted with its first answer.', () => {
  const one = new Replica('there:1', THRESHOLDS);
  one.observe(silent(), 0);
  assert.deepEqual([one.part, one.instance, one.isReachable], ['unknown', 'there:1', false]);
  one.observe(answered(), 1000);
  assert.deepEqual([one.part, one.instance, one.isReachable, one.load], ['store', 'store-1', true, LOAD]);
});

test('A check that is no longer reported is removed.', () => {
  const one = new Replica('there:1', THRESHOLDS);
  one.observe(answered(answer({ checks: { nats: FAILS } })), 0);
  one.observe(answered(), 1000);
  assert.deepEqual(
    one.checks.map(({ name }) => name),
    ['reachable', 'ping', 'postgres'],
  );
});

test('A part of an older version is shown without load and liveness.', () => {
  const one = new Replica('there:1', THRESHOLDS);
  const old = answer();
  for (const check of old.checks) Object.assign(check, { onLivez: false, live: false });
  one.observe(answered({ ...old, load: null }), 0);
  assert.equal(one.load, undefined);
  assert.ok(one.checks.filter(({ onLivez }) => onLivez).every(({ name, live }) => name === 'reachable' && live));
});
