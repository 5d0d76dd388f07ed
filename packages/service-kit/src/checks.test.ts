import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Checks, type Endpoint } from './checks.ts';

const namesAt = (checks: Checks, endpoint: Endpoint) => checks.at(endpoint).map(({ name }) => name);
const failingAt = (checks: Checks, endpoint: Endpoint) =>
  checks.at(endpoint).flatMap(({ name, failing }) => (failing() === undefined ? [] : [name]));

test('Each endpoint lists ping first and start-up hooks after the other checks; /readyz lists shutdown last.', () => {
  const checks = new Checks();
  checks.addHook('roles', () => true);
  checks.add('store', () => undefined, { wedged: () => undefined });
  checks.add('watch', () => undefined);
  assert.deepEqual(namesAt(checks, 'healthz'), ['ping', 'store', 'watch', 'poststarthook/roles']);
  assert.deepEqual(namesAt(checks, 'readyz'), ['ping', 'store', 'watch', 'poststarthook/roles', 'shutdown']);
  assert.deepEqual(namesAt(checks, 'livez'), ['ping', 'store', 'poststarthook/roles']);
});

test('Problems outside the process fail readiness only; problems that need a restart fail liveness.', () => {
  const trouble: { store?: string; client?: string } = { store: 'away' };
  const checks = new Checks();
  checks.add('store', () => trouble.store, { wedged: () => trouble.client });
  assert.deepEqual([failingAt(checks, 'readyz'), failingAt(checks, 'healthz')], [['store'], ['store']]);
  assert.ok(checks.passes('livez'));
  trouble.client = 'stuck';
  assert.ok(!checks.passes('livez'));
});

test('A degradation is listed and fails no endpoint.', () => {
  const checks = new Checks();
  checks.add('nats', () => 'away', { required: false });
  assert.deepEqual(failingAt(checks, 'readyz'), ['nats']);
  assert.ok(checks.passes('readyz') && checks.passes('healthz'));
});

test('Start-up hooks fail readiness from the start, and liveness after its grace period.', () => {
  let now = 1000;
  const checks = new Checks(() => now);
  checks.livezGraceMs = 500;
  let done = false;
  checks.addHook('roles', () => done);
  now = 1499;
  assert.deepEqual([checks.passes('livez'), checks.passes('readyz')], [true, false]);
  now = 1500;
  assert.deepEqual(failingAt(checks, 'livez'), ['poststarthook/roles']);
  done = true;
  assert.deepEqual([checks.passes('livez'), checks.passes('readyz')], [true, true]);
});

test('A start-up hook that is done stays done.', () => {
  const checks = new Checks();
  let isThere = true;
  checks.addHook('roles', () => isThere);
  assert.ok(checks.passes('readyz'));
  isThere = false;
  assert.ok(checks.passes('readyz'));
});

test('Once the process begins to stop, only readiness fails.', () => {
  const checks = new Checks();
  checks.beginStop();
  assert.deepEqual(failingAt(checks, 'readyz'), ['shutdown']);
  assert.ok(checks.passes('livez') && checks.passes('healthz'));
});
