import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FailureKind, failureKind } from './sqlstate.ts';

const cases: ReadonlyArray<[string, FailureKind]> = [
  ['CONNECTION_CLOSED', 'lost'],
  ['08006', 'lost'],
  ['57P01', 'lost'],
  ['ECONNREFUSED', 'absent'],
  ['NOT_SENT', 'absent'],
  ['25006', 'absent'],
  ['42P01', 'absent'],
  ['55P03', 'busy'],
  ['40001', 'busy'],
  ['40P01', 'busy'],
  ['53100', 'exhausted'],
  ['53300', 'exhausted'],
  ['54000', 'refused'],
  ['22021', 'refused'],
  ['23505', 'refused'],
  ['XX000', 'unexpected'],
];

for (const [code, kind] of cases) {
  test(`${code} is ${kind}`, () => assert.equal(failureKind(Object.assign(new Error(), { code })), kind));
}

test('An error without a code is unexpected.', () => {
  assert.equal(failureKind(new TypeError('x')), 'unexpected');
  assert.equal(failureKind(null), 'unexpected');
});
