import { describeOperation, type Operation, type State } from '../history/history.ts';
import type { Check } from './check.ts';

/**
 * Invariant: a write that began after another was acknowledged has the higher version, also when the two are about
 * different objects and went through different gateways.
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
      found.push(`${describeOperation(write)} began after ${describeOperation(newest)} was acknowledged`);
    }
  }
  return found;
};

export type AcknowledgedWrite = Operation & { readonly outcome: { readonly kind: 'state'; readonly state: State } };

export function isAcknowledged(operation: Operation): operation is AcknowledgedWrite {
  return operation.ask.kind !== 'get' && operation.outcome.kind === 'state';
}

function versionOf(write: AcknowledgedWrite): number {
  return write.outcome.state.version;
}
