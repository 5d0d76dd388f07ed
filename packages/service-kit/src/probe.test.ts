import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check } from './checks.ts';
import { probeAnswer, probePath } from './probe.ts';

const check = (name: string, reason?: string, required = true): Check => ({ name, required, failing: () => reason });
const PASSING = [check('ping'), check('log'), check('poststarthook/roles')];
const QUIET = { verbose: false, exclude: [] };
const VERBOSE = { ...QUIET, verbose: true };

test('Where all checks pass the answer is ok, and verbose names each.', () => {
  assert.deepEqual(probeAnswer(PASSING, '', QUIET), { code: 200, text: 'ok' });
  const text = '[+]ping ok\n[+]log ok\n[+]poststarthook/roles ok\nhealthz check passed\n';
  assert.deepEqual(probeAnswer(PASSING, '', VERBOSE), { code: 200, text });
});

test('A failing answer names every check, asked or not, and withholds the reason.', () => {
  const checks = [check('ping'), check('store', 'password refused for root')];
  const text = '[+]ping ok\n[-]store failed: reason withheld\nhealthz check failed\n';
  assert.deepEqual(probeAnswer(checks, '', QUIET), { code: 500, text });
});

test('A degradation is told, and passes.', () => {
  const checks = [check('ping'), check('nats', 'away', false)];
  const text = '[+]ping ok\n[-]nats failed: reason withheld\nhealthz check passed\n';
  assert.deepEqual(probeAnswer(checks, '', VERBOSE), { code: 200, text });
  assert.deepEqual(probeAnswer(checks, '', QUIET), { code: 200, text: 'ok' });
});

test('What is excluded does not count, and is not even asked.', () => {
  const asked: string[] = [];
  const failing = (name: string) => ({ ...check(name), failing: () => `${asked.push(name)}` });
  const checks = [check('ping'), failing('store'), failing('watch')];
  const text = '[+]ping ok\n[+]store excluded: ok\n[+]watch excluded: ok\nhealthz check passed\n';
  const exclude = ['watch', 'store'];
  assert.deepEqual(probeAnswer(checks, '', { verbose: true, exclude }), { code: 200, text });
  assert.deepEqual(asked, []);
});

test('What cannot be excluded is said in one line, in order, also where it passes; a comma parts nothing.', () => {
  const warning = 'warn: some health checks cannot be excluded: no matches for "a","b\\"","ping,log"\n';
  const exclude = ['b"', 'a', 'ping,log', 'a'];
  const text = `[+]ping ok\n${warning}healthz check passed\n`;
  assert.deepEqual(probeAnswer([check('ping')], '', { verbose: true, exclude }), { code: 200, text });
});

test('A check by itself tells its reason, also where it is a degradation.', () => {
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

test('A path is at an endpoint, or at one of its checks, or at none.', () => {
  assert.deepEqual(probePath('/readyz'), { endpoint: 'readyz', name: '' });
  assert.deepEqual(probePath('/livez/poststarthook/a'), { endpoint: 'livez', name: 'poststarthook/a' });
  for (const path of ['/', '/readyzz', '/healthz2/ping', '/api/readyz', '/READYZ', '/constructor'])
    assert.equal(probePath(path), undefined, path);
});
