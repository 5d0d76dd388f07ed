import { describeState } from '../history/history.ts';
import type { Check } from './check.ts';

/**
 * Invariant: a get with a version returns the state of the object at that version or a later one. The object may be
 * absent only if it was absent at that version or was deleted later.
 */
export const oldReadsAreNotTooOld: Check = ({ oldReads }, log) =>
  oldReads.flatMap(({ client, key, requested, state }) => {
    const then = log.keyAt(key, requested);
    const deletedSince = () =>
      log.ofKey(key).some((change) => change.version > requested && change.state === undefined);
    const possible =
      state === undefined ? then === undefined || deletedSince() : state.version >= (then?.version ?? requested);
    const read = `${client} read ${key} not older than ${requested} and received ${describeState(state)}`;
    return possible ? [] : [`${read}; at ${requested} there was ${describeState(then)}`];
  });
