import type { ChangeLog } from '../history/change-log.ts';
import { describeOperation, describeState, type History, type State } from '../history/history.ts';
import type { Check } from './check.ts';
import { type AcknowledgedWrite, isAcknowledged } from './real-time-order.ts';

/**
 * Invariant: acknowledged writes are kept. At the end each object has the state of its newest acknowledged write, or
 * a newer one; it may be absent only if a watch sent a later deletion, or a deletion had an unknown outcome.
 */
export const lostWrites: Check = (history, log) => {
  const last = lastList(history);
  if (last === undefined) return ['there is no most recent list at the end'];
  const found: string[] = [];
  for (const write of newestWrites(history)) {
    const { version } = write.outcome.state;
    const now = last.get(write.key);
    if (now === undefined ? wasDeleted(history, log, write.key, version) : now.version >= version) continue;
    found.push(`${describeOperation(write)}, but at the end there is ${describeState(now)}`);
  }
  return found;
};

/** The list that was read after all writers had ended. */
function lastList({ lists, endVersion }: History): Map<string, State> | undefined {
  const last = lists.findLast(
    ({ mode, selector, pages }) => mode === 'recent' && selector === '' && (pages[0]?.version ?? 0) >= endVersion,
  );
  return last && new Map(last.pages.flatMap((page) => page.items).map((state) => [state.key, state]));
}

function newestWrites({ operations }: History) {
  const newest = new Map<string, AcknowledgedWrite>();
  for (const write of operations.filter(isAcknowledged)) {
    const known = newest.get(write.key);
    if (known === undefined || write.outcome.state.version > known.outcome.state.version) newest.set(write.key, write);
  }
  return newest.values();
}

function wasDeleted(history: History, log: ChangeLog, key: string, after: number): boolean {
  return (
    log.ofKey(key).some((change) => change.state === undefined && change.version > after) ||
    history.operations.some(
      ({ request, outcome, ...of }) => of.key === key && request.kind === 'delete' && outcome.kind === 'unknown',
    )
  );
}
