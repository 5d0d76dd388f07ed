import type { Row } from '@tidegate/database';
import type { StoredState } from '../encryption/vault.ts';

/** The columns of a state, in the order in which every query of the store gives them, after its own. */
export const stateColumns = 'revision, uid, deleting, splice, checksum, selection, value';

/** The same of a state that a change has replaced or ended, in a row of the log. */
export const previousColumns =
  'previous_revision, previous_uid, previous_deleting, previous_splice, previous_checksum, previous_selection, previous_value';

/** Reads a state from a row, where its columns begin at this place. */
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
