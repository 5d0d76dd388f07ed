import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { ConflictingOwners } from './conflicts.ts';
import { printPath } from './path-element.ts';
import type { PublishedSchema } from './testing/published-schema.ts';
import { plain, run, type Step } from './testing/steps.ts';

const { schemas, steps } = JSON.parse(readFileSync(new URL('testing/published.json', import.meta.url), 'utf8')) as {
  schemas: Record<string, PublishedSchema>;
  steps: Step[];
};

/** The published cases have one entry per manager name; here an apply and an update, or two versions, have one each. */
function isNamedTwice({ managers, manager, op, version }: Step): boolean {
  const before = managers[manager];
  return (
    before !== undefined && (before.applied !== (op === 'apply') || (op === 'update' && before.version !== version))
  );
}

describe('The published cases', () => {
  const comparable = steps.filter((step) => !isNamedTwice(step));

  test('exist', () => {
    assert.ok(comparable.length > 300, String(comparable.length));
    assert.ok(comparable.filter(({ conflicts }) => conflicts !== undefined).length > 10);
  });

  for (const [i, step] of comparable.entries()) {
    const what = `${step.op} ${JSON.stringify(step.object)} to ${JSON.stringify(step.live)}`;
    test(`step ${i}: ${what.length > 100 ? `${what.slice(0, 100)}…` : what}`, () => {
      if (step.error !== undefined) {
        assert.throws(
          () => run(schemas[step.schema] as PublishedSchema, step),
          (error) =>
            error instanceof ConflictingOwners &&
            assert.deepEqual(
              error.conflicts.map(({ owner, path }) => `${owner.manager} ${printPath(path)}`).sort(),
              step.conflicts,
            ) === undefined,
        );
        return;
      }
      const { object, owners } = run(schemas[step.schema] as PublishedSchema, step);
      assert.deepEqual(object, step.result ?? {});
      assert.deepEqual(plain(owners), step.resultManagers);
      for (const [manager, { fields }] of Object.entries(plain(owners))) {
        assert.equal(JSON.stringify(fields), JSON.stringify(step.resultManagers?.[manager]?.fields), 'byte for byte');
      }
    });
  }
});
