import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '@tidegate/local';
import { accounted } from './accounted.ts';
import { budgets } from './budgets.ts';
import { ROOMS } from './stages.ts';

test('Every operation of the account has a goal, and the budgets of its stages add up to it.', () => {
  assert.deepEqual(Object.keys(budgets), [...accounted.map(({ name }) => name)]);
  for (const [name, { goal, stages }] of Object.entries(budgets)) {
    const sum = Object.values(stages).reduce((total, budget) => total + budget, 0);
    assert.ok(Math.abs(sum - goal) < 0.001, `${name}: ${sum} of ${goal}`);
  }
});

test('Every room of the project that has a stage exists.', () => {
  const rooms = Object.keys(ROOMS).filter((room) => /^(services|packages)/.test(room));
  assert.deepEqual(
    rooms.filter((room) => !existsSync(join(projectRoot, room))),
    [],
  );
});
