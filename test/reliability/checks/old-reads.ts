import { describeState } from '../history/history.ts';
import type { Check } from './check.ts';

/**
 * Invariant: a get that names a version is answered with a state that the object has at that version or got later. It
 * is told to be absent only when it was absent then, or was deleted later.
 */
export const oldReadsAreNotTooOld: Check = ({ oldReads }, log) =>
  oldReads.flatMap(({ client, key, asked, state }) => {
    const then = log.keyAt(key, asked);
    const deletedSince = () => log.ofKey(key).some((change) => change.version > asked && change.state === undefined);
    const possible =
      state === undefined ? then === undefined || deletedSince() : state.version >= (then?.version ?? asked);
    const told = `${client} read ${key} not older than ${asked} and was told ${describeState(state)}`;
    return possible ? [] : [`${told}; at ${asked} there was ${describeState(then)}`];
  });
