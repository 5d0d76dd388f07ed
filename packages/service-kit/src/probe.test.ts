import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check } from './checks.ts';
import { probeAnswer, probePath } from './probe.ts';

const check = (name: string, reason?: string, required = true): Check => ({ name, required, failing: () => reason });
const PASSING = [check('ping'), check('log'), check('poststarthook/roles')];
const QUIET = { verbose: false, exclude: [] };
const VERBOSE = { ...QUIET, verbose: true };

test('If all checks pass, the response is ok, and a verbose one names each check.', () => {
  assert.deepEqual(probeAnswer(PASSING, '', QUIET), { code: 200, text: 'ok' });
  const text = '[+]ping ok\n[+]log ok\n[+]poststarthook/roles ok\nhealthz check passed\n';
  assert.deepEqual(probeAnswer(PASSING, '', VERBOSE), { code: 200, text });
});

test('A failing response names every check even if it is not verbose, and withholds the reasons.', () => {
  const checks = [check('ping'), check('store', 'password refused for root')];
  const text = '[+]ping ok\n[-]store failed: reason withheld\nhealthz check failed\n';
  assert.deepEqual(probeAnswer(checks, '', QUIET), { code: 500, text });
});

test('A degradation is listed as failed, and the endpoint passes.', () => {
  const checks = [check('ping'), check('nats', 'away', false)];
  const text = '[+]ping ok\n[-]nats failed: reason withheld\nhealthz check passed\n';
  assert.deepEqual(probeAnswer(checks, '', VERBOSE), { code: 200, text });
  assert.deepEqual(probeAnswer(checks, '', QUIET), { code: 200, text: 'ok' });
});

test('An excluded check is not evaluated.', () => {
  const evaluated: string[] = [];
  const failing = (name: string) => ({ ...check(name), failing: () => `${evaluated.push(name)}` });
  const checks = [check('ping'), failing('store'), failing('watch')];
  const text = '[+]ping ok\n[+]store excluded: ok\n[+]watch excluded: ok\nhealthz check passed\n';
  const exclude = ['watch', 'store'];
  assert.deepEqual(probeAnswer(checks, '', { verbose: true, exclude }), { code: 200, text });
  assert.deepEqual(evaluated, []);
});

test('Unknown names in exclude are listed in one sorted line; a comma is part of a name.', () => {
  const warning = 'warn: some health checks cannot be excluded: no matches for "a","b\\"","ping,log"\n';
  const exclude = ['b"', 'a', 'ping,log', 'a'];
  const text = `[+]ping ok\n${warning}healthz check passed\n`;
  assert.deepEqual(probeAnswer([check('ping')], '', { verbose: true, exclude }), { code: 200, text });
});

test('The path of a single check shows its reason, also for a degradation.', () => {
  const checks = [check('ping'), check('nats', 'not connected', false), check('poststarthook/roles', 'not finished')];
  assert.deepEqual(probeAnswer(checks, 'ping', VERBOSE), { code: 200, text: 'ok' });
  for (const [name, reason] of [
    ['nats', 'not connected'],
    ['poststarthook/roles', 'not finished'],
  ] as const) {
    assert.deepEqual(probeAnswer(checks, name, QUIET), { code: 500, text: `internal server error: ${reason}\n` });
  }
  assert.equal(probeAnswer(checks, 'poststarthook', QUIET), undefined);
});

test('A path names an endpoint, one of its checks, or neither.', () => {
  assert.deepEqual(probePath('/readyz'), { endpoint: 'readyz', name: '' });
  assert.deepEqual(probePath('/livez/poststarthook/a'), { endpoint: 'livez', name: 'poststarthook/a' });
  for (const path of ['/', '/readyzz', '/healthz2/ping', '/api/readyz', '/READYZ', '/constructor'])
    assert.equal(probePath(path), undefined, path);
});
