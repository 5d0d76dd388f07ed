import type { Row } from '@tidegate/database';
import type { StoredState } from '../encryption/vault.ts';

/** The columns of a state. Every query of the store selects them in this order, after its own columns. */
export const stateColumns = 'revision, uid, deleting, splice, checksum, selection, value';

/** The columns of the state that a change has replaced or deleted, in a row of the log. */
export const previousColumns =
  'previous_revision, previous_uid, previous_deleting, previous_splice, previous_checksum, previous_selection, previous_value';

/** Reads a state from a row whose state columns begin at this index. */
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

/** The statements that the store repeats. Their functions are in packages/database. */
export const statements = {
  commitBatch: `SELECT epoch, first_revision, last_revision, report FROM tidegate.commit_batch(
    $1::smallint[], $2::text[], $3::text[], $4::text[], $5::uuid[], $6::bigint[], $7::text[], $8::bigint[],
    $9::text[], $10::boolean[], $11::integer[], $12::integer[], $13::integer[],
    $14::text[], $15::text[], $16::integer[], $17::integer[], $18::integer[], $19::bytea,
    $20::smallint[], $21::text[], $22::text[], $23::text[], $24::bigint[], $25::integer[], $26::integer[], $27::integer[],
    $28::boolean)`,
  commitOne: `SELECT epoch, last_revision, outcome, current_revision, current_uid, current_deleting
    FROM tidegate.commit_one(
      $1::smallint, $2::text, $3::text, $4::text, $5::uuid, $6::bigint, $7::text, $8::bigint,
      $9::text, $10::boolean, $11::integer, $12::integer, $13::integer,
      $14::text, $15::text, $16::bytea, $17::bytea,
      $18::smallint, $19::text, $20::text, $21::text, $22::bigint, $23::boolean)`,
  readBatch: `SELECT place, ${stateColumns}
    FROM tidegate.read_batch($1::text[], $2::text[], $3::text[], $4::bigint)`,
  head: 'SELECT revision, floor, epoch FROM tidegate.head',
  rotateLog: 'SELECT tidegate.rotate_log(make_interval(secs => $1::double precision))',
  lastStates: `SELECT revision, ${previousColumns}
    FROM tidegate.log WHERE revision = ANY ($1::bigint[])`,
  readLog: `SELECT kind, epoch, resource, namespace, name, previous_revision, ${stateColumns}
    FROM tidegate.read_log($1::bigint, $2::bigint, $3::integer, $4::bigint, $5::text)`,
  headAndEpochs: `SELECT h.revision, h.floor, h.epoch,
    (SELECT coalesce(json_agg(json_build_array(e.epoch, e.last_surviving, e.first_new) ORDER BY e.epoch), '[]')
     FROM tidegate.epochs e WHERE e.first_new > $1::bigint)
    FROM tidegate.head h`,
} as const;
