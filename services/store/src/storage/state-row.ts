import type { Row } from '@tidegate/database';
import type { StoredState } from '../encryption/vault.ts';

/** The columns of a state. Every query of the store selects them in this order, after its own columns. */
export const stateColumns = 'revision, uid, deleting, splice, checksum, selection, value';

/** The columns of the state that a change has replaced or deleted, in a row of the log. */
export const previousColumns =
  'previous_revision, previous_uid, previous_deleting, previous_splice, previous_checksum, previous_selection, previous_value';

/** Reads a state from a row whose state columns begin at this place. */
export function stateAt(row: Row, place: number): StoredState {
  return {
    revision: row[place] as number,
    uid: row[place + 1] as string,
    deleting: row[place + 2] as boolean,
    splice: row[place + 3] as number,
    checksum: row[place + 4] as number | null,
    selection: row[place + 5] as Buffer | null,
    value: row[place + 6] as Buffer,
  };
}
