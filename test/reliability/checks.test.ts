import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Random } from '@tidegate/testkit';
import { checks, explainViolations, violationsOf } from './checks/all.ts';
import { generateHistory } from './model/generate-history.ts';
import { storeFaults } from './model/store-faults.ts';
import { watchFaults } from './model/watch-faults.ts';

const seeds = [1, 2, 3];
const faults = [...watchFaults, ...storeFaults];

describe('Reliability checks', () => {
  for (const seed of seeds) {
    test(`The history of a correct server has no violations (seed ${seed}).`, () => {
      const violations = violationsOf(generateHistory({ seed, operations: 4000 }));
      assert.equal(explainViolations(violations), '');
    });
  }

  test('A history in which a third of the operations have no answer has no violations.', () => {
    for (const seed of seeds) {
      const violations = violationsOf(generateHistory({ seed, operations: 800, unknown: 0.3 }));
      assert.equal(explainViolations(violations), '', `seed ${seed}`);
    }
  });

  test('For each check there is a fault that violates it.', () => {
    const proven = new Set(faults.map(({ breaks }) => breaks));
    assert.deepEqual(
      Object.keys(checks).filter((name) => !proven.has(name as never)),
      [],
    );
  });

  for (const { title, breaks, inject } of faults) {
    test(`The check "${breaks}" finds that ${title}.`, () => {
      for (const seed of seeds) {
        const history = generateHistory({ seed, operations: 600 });
        inject(history, new Random(seed));
        const violations = violationsOf(history);
        const what = `seed ${seed}, found only:\n${explainViolations(violations)}`;
        assert.ok(violations.has(breaks), what);
      }
    });
  }
});
