import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Allowances } from './client-allowances.ts';

test('a client gets its burst and then its rate, independently of other clients', () => {
  let now = 0;
  const allowances = new Allowances({ burst: 3, perSecond: 1 }, () => now);
  const taken = Array.from({ length: 4 }, () => allowances.take('ann'));
  assert.deepEqual(taken, [true, true, true, false]);
  assert.equal(allowances.isSpent('ann'), true);
  assert.equal(allowances.isSpent('bob'), false);
  assert.equal(allowances.take('bob'), true);
  now = 1500;
  assert.equal(allowances.isSpent('ann'), true, 'rejected requests count as well');
  now = 2000;
  assert.equal(allowances.isSpent('ann'), false);
});

test('a full bucket is removed', () => {
  let now = 0;
  const allowances = new Allowances({ burst: 3, perSecond: 1 }, () => now);
  for (let i = 0; i < 1000; i++) allowances.take(`client ${i}`);
  assert.equal(allowances.clients, 1000);
  now = 4000;
  allowances.take('another');
  assert.equal(allowances.clients, 1);
});
