import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Endpoint, probeAnswer } from '@tidegate/service-kit';
import { aggregated } from './aggregate.ts';
import { Replica } from './probes/replica.ts';
import { reportOf } from './report.ts';
import { replica, silent, THRESHOLDS } from './testing/answers.ts';

const AWAY = { ok: false, message: 'away' };
const part = (name: string, number: number, checks = {}) =>
  replica({ part: name, instance: `${name}-${number}`, checks });
const well = () => [part('gateway', 1), part('store', 1), part('watch', 1)];
const codes = (replicas: Replica[]) =>
  (['livez', 'readyz', 'healthz'] as Endpoint[]).map(
    (endpoint) => probeAnswer(aggregated(replicas, endpoint), '', { verbose: false, exclude: [] })?.code,
  );
const verbose = (replicas: Replica[], endpoint: Endpoint, exclude: string[] = []) =>
  probeAnswer(aggregated(replicas, endpoint), '', { verbose: true, exclude })?.text.split('\n');
const state = (replicas: Replica[]) => reportOf(replicas, 0).state;

function gone(one: Replica): Replica {
  for (let i = 0; i < 2; i++) one.observe({ ...silent('refused'), address: one.address }, 1000);
  return one;
}

test('Every check of every replica is listed as part/replica/check.', () => {
  const one = [part('store', 1)];
  const own = ['reachable', 'ping', 'postgres'].map((name) => `[+]store/store-1/${name} ok`);
  const end = ['healthz check passed', ''];
  assert.deepEqual(verbose(one, 'healthz'), ['[+]ping ok', ...own, ...end]);
  assert.deepEqual(verbose(one, 'readyz'), ['[+]ping ok', ...own, '[+]store/store-1/shutdown ok', ...end]);
  assert.deepEqual(verbose(one, 'livez'), ['[+]ping ok', ...own.slice(0, 2), ...end]);
  const [, line] = verbose(one, 'livez', ['store/store-1/reachable', 'store']) ?? [];
  assert.equal(line, '[+]store/store-1/reachable excluded: ok');
});

test('A single check has its own path, and returns its reason.', () => {
  const checks = aggregated([part('store', 1, { postgres: AWAY })], 'readyz');
  const quiet = { verbose: false, exclude: [] };
  assert.deepEqual(probeAnswer(checks, 'store/store-1/postgres', quiet), {
    code: 500,
    text: 'internal server error: away\n',
  });
  assert.equal(probeAnswer(checks, 'store/store-1/nothing', quiet), undefined);
});

test('Readiness fails when the last replica of a part is not ready; with another ready replica only healthz fails.', () => {
  const bad = part('store', 2, { postgres: AWAY });
  assert.deepEqual(codes([...well(), bad]), [200, 200, 500]);
  assert.ok(verbose([...well(), bad], 'readyz')?.includes('[-]store/store-2/postgres failed: reason withheld'));
  assert.deepEqual(codes([part('gateway', 1), bad, part('watch', 1)]), [200, 500, 500]);
  assert.deepEqual(
    [state([...well(), bad]), state([part('gateway', 1), bad, part('watch', 1)])],
    ['degraded', 'failing'],
  );
});

test('A part without a reachable replica fails every endpoint; an unreachable replica beside a reachable one does not.', () => {
  assert.deepEqual(codes([...well(), gone(part('watch', 2))]), [200, 200, 500]);
  assert.deepEqual(codes([part('gateway', 1), part('store', 1), gone(part('watch', 1))]), [500, 500, 500]);
});

test('A degradation is listed, and fails no endpoint.', () => {
  const replicas = [...well(), part('store', 2, { nats: { ...AWAY, required: false } })];
  assert.deepEqual(codes(replicas), [200, 200, 200]);
  assert.equal(state(replicas), 'degraded');
  assert.ok(verbose(replicas, 'healthz')?.includes('[-]store/store-2/nats failed: reason withheld'));
});

test('A replica that has not answered yet may be any part: it counts unless every part has a replica.', () => {
  const unheard = new Replica('there:9', THRESHOLDS);
  unheard.observe(silent(), 0);
  assert.deepEqual([codes([...well(), unheard])[1], state([...well(), unheard])], [200, 'degraded']);
  const few = [part('gateway', 1), part('store', 1), unheard];
  assert.deepEqual([codes(few)[1], state(few)], [500, 'failing']);
});

test('A stopping replica is not ready, but alive.', () => {
  const stopping = replica({ part: 'store', instance: 'store-1', stopping: true });
  assert.deepEqual(codes([part('gateway', 1), stopping, part('watch', 1)]), [200, 500, 200]);
  assert.equal(state([...well(), stopping]), 'degraded');
});

test('Liveness fails only for checks that a new process repairs.', () => {
  const stuck = part('store', 1, { store: { onLivez: true, live: false } });
  assert.deepEqual(codes([part('gateway', 1), stuck, part('watch', 1)]), [500, 200, 200]);
});
