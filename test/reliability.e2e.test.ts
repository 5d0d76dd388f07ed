import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { TestTidegate } from '@tidegate/testkit';
import { explainViolations, violationsOf } from './reliability/checks/all.ts';
import type { History } from './reliability/history/history.ts';
import { runLoad } from './reliability/load/run-load.ts';
import { sharedSystem } from './support/shared-system.ts';

describe('Random load of many clients', () => {
  let tidegate: TestTidegate;
  before(async () => {
    ({ tidegate } = await sharedSystem());
  });
  after(() => tidegate.stop());

  for (const seed of [11, 12]) {
    test(`Every promise is kept under random load (seed ${seed}).`, async (t) => {
      const history = await runLoad({
        seed,
        namespace: `load-${seed}`,
        endpoints: [tidegate],
        operations: 900,
        catchUpMs: 30_000,
        hasSeenEnough: hasBookmark,
      });
      const { operations, lists, watchers } = history;
      t.diagnostic(
        `${operations.length} operations, ${lists.length} lists, ${watchers.flatMap((w) => w.streams).length} streams`,
      );
      assert.equal(explainViolations(violationsOf(history)), '', `seed ${seed}`);
      // the checks are meaningful only with enough lists and reads
      assert.ok(lists.length > 20 && history.oldReads.length > 20);
    });
  }
});

/** Whether a bookmark came within a stream, not only at the end of a state. */
function hasBookmark({ watchers }: History): boolean {
  const events = watchers.flatMap(({ streams }) => streams.flatMap((stream) => stream.events));
  return events.some((event) => event.type === 'BOOKMARK' && !event.initialEnd);
}
