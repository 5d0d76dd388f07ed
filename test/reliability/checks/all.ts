import { ChangeLog } from '../history/change-log.ts';
import type { History } from '../history/history.ts';
import type { Check } from './check.ts';
import { linearizable } from './linearizable.ts';
import { listIsFiltered, listIsFresh, listIsStateAtVersion, pagesAreOneSnapshot } from './lists.ts';
import { lostWrites } from './lost-writes.ts';
import { oldReadsAreNotTooOld } from './old-reads.ts';
import { realTimeOrder } from './real-time-order.ts';
import { uniqueVersions } from './unique-versions.ts';
import { atomic } from './watch/atomic.ts';
import { bookmarkable } from './watch/bookmarkable.ts';
import { filtered } from './watch/filtered.ts';
import { listThenWatch } from './watch/list-then-watch.ts';
import { ordered } from './watch/ordered.ts';
import { reliable } from './watch/reliable.ts';
import { resumable } from './watch/resumable.ts';
import { unique } from './watch/unique.ts';

/** The checks by the names of their promises. */
export const checks = {
  'objects are linearizable': linearizable,
  'versions are used once': uniqueVersions,
  'versions follow real time': realTimeOrder,
  'no acknowledged write is lost': lostWrites,
  'a list is the state at its version': listIsStateAtVersion,
  'pages are one snapshot': pagesAreOneSnapshot,
  'lists are as fresh as requested': listIsFresh,
  'lists are filtered': listIsFiltered,
  'reads are not older than requested': oldReadsAreNotTooOld,
  Ordered: ordered,
  Unique: unique,
  Atomic: atomic,
  Reliable: reliable,
  Resumable: resumable,
  Bookmarkable: bookmarkable,
  Filtered: filtered,
  'list-then-watch misses nothing': listThenWatch,
} as const satisfies Record<string, Check>;

export type CheckName = keyof typeof checks;

export type Violations = ReadonlyMap<CheckName, readonly string[]>;

/** Runs all checks; returns the violations by the names of the promises. */
export function violationsOf(history: History): Violations {
  const log = new ChangeLog(history);
  const found = new Map<CheckName, string[]>();
  for (const [name, check] of Object.entries(checks)) {
    const sentences = check(history, log);
    if (sentences.length > 0) found.set(name as CheckName, sentences);
  }
  return found;
}

const SHOWN = 3;

/** A text for the message of a failed test. */
export function explainViolations(violations: Violations): string {
  return [...violations]
    .map(([name, sentences]) => {
      const more = sentences.length > SHOWN ? [`... and ${sentences.length - SHOWN} more`] : [];
      return [`${name}:`, ...[...sentences.slice(0, SHOWN), ...more].map((text) => `  ${text}`)].join('\n');
    })
    .join('\n');
}
