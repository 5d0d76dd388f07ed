import { describeOperation, type Operation, type State } from '../history/history.ts';
import type { Check } from './check.ts';

/**
 * Invariant: a write that started after another was acknowledged has the higher version, also for different objects and
 * different gateways.
 */
export const realTimeOrder: Check = ({ operations }) => {
  const writes = operations.filter(isAcknowledged);
  const byEnd = [...writes].sort((a, b) => a.end - b.end);
  const byStart = [...writes].sort((a, b) => a.start - b.start);
  const found: string[] = [];
  let newest: AcknowledgedWrite | undefined;
  let ended = 0;
  for (const write of byStart) {
    for (let over = byEnd[ended]; over !== undefined && over.end < write.start; over = byEnd[++ended]) {
      if (newest === undefined || versionOf(over) > versionOf(newest)) newest = over;
    }
    if (newest !== undefined && versionOf(newest) >= versionOf(write)) {
      found.push(`${describeOperation(write)} started after ${describeOperation(newest)} was acknowledged`);
    }
  }
  return found;
};

export type AcknowledgedWrite = Operation & { readonly outcome: { readonly kind: 'state'; readonly state: State } };

export function isAcknowledged(operation: Operation): operation is AcknowledgedWrite {
  return operation.request.kind !== 'get' && operation.outcome.kind === 'state';
}

function versionOf(write: AcknowledgedWrite): number {
  return write.outcome.state.version;
}
