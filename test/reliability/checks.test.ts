import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Random } from '@tidegate/testkit';
import { checks, explainViolations, violationsOf } from './checks/all.ts';
import { badStores } from './model/bad-stores.ts';
import { badWatches } from './model/bad-watches.ts';
import { generateHistory } from './model/generate-history.ts';

const seeds = [1, 2, 3];
const badVariants = [...badWatches, ...badStores];

describe('The checks of reliability', () => {
  for (const seed of seeds) {
    test(`find nothing in what a faultless server shows (seed ${seed})`, () => {
      const violations = violationsOf(generateHistory({ seed, operations: 4000 }));
      assert.equal(explainViolations(violations), '');
    });
  }

  test('find nothing when a third of the operations end without an answer', () => {
    for (const seed of seeds) {
      const violations = violationsOf(generateHistory({ seed, operations: 800, unknown: 0.3 }));
      assert.equal(explainViolations(violations), '', `seed ${seed}`);
    }
  });

  test('are each proven by a fault', () => {
    const proven = new Set(badVariants.map(({ breaks }) => breaks));
    assert.deepEqual(
      Object.keys(checks).filter((name) => !proven.has(name as never)),
      [],
    );
  });

  for (const { title, breaks, spoil } of badVariants) {
    test(`find it when ${title}: ${breaks}`, () => {
      for (const seed of seeds) {
        const history = generateHistory({ seed, operations: 600 });
        spoil(history, new Random(seed));
        const violations = violationsOf(history);
        const what = `seed ${seed}, found only:\n${explainViolations(violations)}`;
        assert.ok(violations.has(breaks), what);
      }
    });
  }
});
