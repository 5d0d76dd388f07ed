/** Each takes some 100 to 500 bytes. */
const MOST_KEPT = 100_000;
/** Larger sets are rarely needed a second time. */
const MOST_OF_ONE = 2000;

let kept = 0;
let generation = 0;

/**
 * Bounds what is kept of sets for later: shared levels, and results of operations. The memory of each is counted when it
 * is kept. When there is too much, a new generation begins, and nothing of an earlier one is used again.
 */
export const keptFields = {
  get generation(): number {
    return generation;
  },

  /** Whether something of so many fields may be kept; it is counted then. */
  keeps(fields: number): boolean {
    if (fields > MOST_OF_ONE) return false;
    kept += fields;
    if (kept > MOST_KEPT) {
      kept = fields;
      generation++;
    }
    return true;
  },
};
