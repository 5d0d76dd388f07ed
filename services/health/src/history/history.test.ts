import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Replica } from '../probes/replica.ts';
import { answer, answered, replica, silent, THRESHOLDS } from '../testing/answers.ts';
import { History, minuteState } from './history.ts';
import { Minutes } from './minutes.ts';

const MINUTE = 60_000;
const { nothing, ok, degraded, failing } = minuteState;

test('The worst state of each minute is kept, and minutes without answers stay empty.', () => {
  const minutes = new Minutes(new Uint8Array(10));
  minutes.note(ok, 0);
  minutes.note(failing, 20_000);
  minutes.note(ok, 40_000);
  minutes.note(ok, 3 * MINUTE);
  assert.deepEqual(minutes.last(5, 1, 3 * MINUTE), [nothing, failing, nothing, nothing, ok]);
  assert.deepEqual(minutes.last(2, 2, 3 * MINUTE), [failing, ok]);
});

test('The ring drops minutes beyond its size, also after a long pause, and accepts a clock that is set back.', () => {
  const minutes = new Minutes(new Uint8Array(4));
  for (let m = 0; m < 6; m++) minutes.note(m === 2 ? failing : ok, m * MINUTE);
  assert.deepEqual(minutes.last(6, 1, 5 * MINUTE), [nothing, nothing, failing, ok, ok, ok]);
  minutes.note(degraded, 4 * MINUTE);
  assert.deepEqual(minutes.last(3, 1, 5 * MINUTE), [ok, degraded, ok]);
  minutes.note(failing, 0);
  assert.deepEqual(minutes.last(4, 1, 5 * MINUTE), [failing, ok, degraded, ok]);
  minutes.note(ok, 1000 * MINUTE);
  assert.deepEqual(minutes.last(4, 1, 1000 * MINUTE), [nothing, nothing, nothing, ok]);
});

test('A replica is identified by its address, and has a history of each check, of the whole and of its lag.', () => {
  const history = new History({ minutes: 60 });
  const one = new Replica('there:1', { failures: 1, passes: 1 });
  const observe = (state: ReturnType<typeof answered>, now: number) => history.note(one, one.observe(state, now), now);
  observe(answered(), 0);
  observe(answered(answer({ checks: { nats: { ok: false, required: false, message: 'away' } } })), MINUTE);
  observe(answered(answer({ checks: { postgres: { ok: false, message: 'gone' } } })), 2 * MINUTE);
  observe(silent('refused'), 3 * MINUTE);
  observe(answered(answer({ instance: 'store-2' })), 4 * MINUTE);
  const series = history.of('there:1', 4 * MINUTE);
  assert.deepEqual(series.states('', 5, 1), [ok, degraded, failing, failing, ok]);
  assert.deepEqual(series.states('postgres', 5, 1), [ok, ok, failing, nothing, ok]);
  assert.deepEqual(series.states('reachable', 5, 1), [ok, ok, ok, failing, ok]);
  assert.deepEqual(series.lagMs(5, 1), [7.5, 7.5, 7.5, 0, 7.5]);
  assert.deepEqual(history.of('nowhere', 0).states('', 3, 1), [nothing, nothing, nothing]);
});

test('Each change is an event with its reason, the newest first.', () => {
  const history = new History({ minutes: 60, events: 3 });
  const one = new Replica('there:1', { failures: 1, passes: 1 });
  for (let i = 0; i < 4; i++) {
    const reported = answer({ checks: { postgres: { ok: i % 2 === 1, message: i % 2 === 1 ? '' : 'gone' } } });
    history.note(one, one.observe(answered(reported), i * 1000), i * 1000);
  }
  assert.deepEqual(history.events, [
    { at: '1970-01-01T00:00:03.000Z', what: 'store/store-1/postgres', ok: true, message: '' },
    { at: '1970-01-01T00:00:02.000Z', what: 'store/store-1/postgres', ok: false, message: 'gone' },
    { at: '1970-01-01T00:00:01.000Z', what: 'store/store-1/postgres', ok: true, message: '' },
  ]);
});

test('It keeps no more replicas, checks and events than its bounds, and drops the least recently updated ones.', () => {
  const history = new History({ minutes: 60, replicas: 2, checksOfReplica: 3, events: 2 });
  for (const name of ['a', 'b', 'a', 'c']) history.note(replica({ instance: name }), [], 0);
  assert.deepEqual(
    ['a:1', 'b:1', 'c:1'].map((address) => history.of(address, 0).states('', 1, 1)),
    [[ok], [nothing], [ok]],
  );
  const checks = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`check-${i}`, {}]));
  const many = replica({ instance: 'many', checks });
  history.note(
    many,
    Array.from({ length: 9 }, () => ({ check: 'x', passes: true, message: '' })),
    0,
  );
  const kept = many.checks.filter(({ name }) => history.of('many:1', 0).states(name, 1, 1)[0] === ok);
  assert.ok(kept.length < 3, `${kept.length}`);
  assert.equal(history.events.length, 2);
  assert.deepEqual(history.of('many:1', 0).states('', 1, 1), [ok]);
});

test('A replica that flaps too fast to be accepted adds no events.', () => {
  const history = new History({ minutes: 60 });
  const one = new Replica('there:1', THRESHOLDS);
  for (let i = 0; i < 20; i++) {
    const state = i % 2 === 0 ? answered() : silent();
    history.note(one, one.observe(state, i * 1000), i * 1000);
  }
  assert.deepEqual(history.events, []);
  assert.deepEqual(history.of('there:1', 0).states('', 1, 1), [ok]);
});
