import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Allowances } from './client-allowances.ts';

test('a client has what it may at once, and then what comes back with time; others are not asked', () => {
  let now = 0;
  const allowances = new Allowances({ burst: 3, perSecond: 1 }, () => now);
  const taken = Array.from({ length: 4 }, () => allowances.take('ann'));
  assert.deepEqual(taken, [true, true, true, false]);
  assert.equal(allowances.isSpent('ann'), true);
  assert.equal(allowances.isSpent('bob'), false);
  assert.equal(allowances.take('bob'), true);
  now = 1500;
  assert.equal(allowances.isSpent('ann'), true, 'what was refused counts as well');
  now = 2000;
  assert.equal(allowances.isSpent('ann'), false);
});

test('who has all again is forgotten', () => {
  let now = 0;
  const allowances = new Allowances({ burst: 3, perSecond: 1 }, () => now);
  for (let i = 0; i < 1000; i++) allowances.take(`client ${i}`);
  assert.equal(allowances.clients, 1000);
  now = 4000;
  allowances.take('another');
  assert.equal(allowances.clients, 1);
});
