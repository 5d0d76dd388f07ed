import type { Pool, Row } from '@tidegate/database';
import { expired, internalError } from '@tidegate/status';
import type { Change, LogBatch, WriteKind } from '@tidegate/wire';
import type { Vault } from '../../encryption/vault.ts';
import { stateAt, statements } from '../statements.ts';
import { type Epoch, type Head, headWithEpochs, isLost } from './head.ts';

const BATCH = { rows: 512, bytes: 1 << 20 };
/** the revisions that one statement searches for the changes of one resource */
const SPAN = 50_000;

/**
 * Reads the log of changes. Promise of every read: the batches cover (after, through] in order and without gaps, or the
 * read fails with Expired. The reader checks row by row that each revision follows the one before, because a slot may
 * be truncated during a read.
 */
export class LogReader {
  readonly #pool: Pool;
  readonly #vault: Vault;

  constructor(pool: Pool, vault: Vault) {
    this.#pool = pool;
    this.#vault = vault;
  }

  /** Resource '' reads all resources. `through` 0, or above the current revision, reads to the current revision. */
  async *read(after: number, through: number, resource = ''): AsyncGenerator<LogBatch> {
    const head = await this.#head(after);
    if (isLost(head, after)) throw expiredRevision(after, head.floor);
    const end = through === 0 ? head.revision : Math.min(through, head.revision);
    if (after >= end) {
      yield { epoch: head.epoch, first: after + 1, last: after, changes: [] };
      return;
    }
    if (resource !== '') {
      yield* this.#readOf(resource, after, end);
      return;
    }
    let changes = this.#changes(after, end);
    for (let at = after; at < end; ) {
      const batches = [...batchesOf(at, end, await changes, head.epochs)];
      at = batches.at(-1)?.last ?? end;
      // PostgreSQL reads the next batches while the caller takes these
      if (at < end) changes = this.#changes(at, end);
      // an error of this query: the next iteration awaits and reports it; a caller that stops earlier does not need it
      changes.catch(() => {});
      yield* batches;
    }
  }

  /**
   * Reads one resource. Its revisions have gaps, so a missing row is noticed by the floor, which is read afterwards.
   */
  async *#readOf(resource: string, after: number, end: number): AsyncGenerator<LogBatch> {
    for (let at = after; at < end; ) {
      const to = Math.min(end, at + SPAN);
      const rows = await this.#rows(at, to, resource);
      const { floor, epoch } = await this.#head(at);
      if (at < floor) throw expiredRevision(at, floor);
      const changes = rows.map((row) => changeOf(row, this.#vault).change);
      const last = isCut(rows) ? (changes.at(-1) as Change).revision : to;
      yield { epoch, first: at + 1, last, changes };
      at = last;
    }
  }

  #rows(after: number, through: number, resource: string): Promise<Row[]> {
    return this.#pool.query(statements.readLog, [after, through, BATCH.rows, BATCH.bytes, resource], 30_000);
  }

  async #changes(after: number, through: number): Promise<LoggedChange[]> {
    const rows = await this.#rows(after, through, '');
    const changes = rows.map((row) => changeOf(row, this.#vault));
    const whole = changes.length > 0 && changes.every(({ change }, i) => change.revision === after + 1 + i);
    // rows are missing at a hole between epochs, or because their slot was truncated in the meantime
    const floor = whole ? 0 : (await this.#head(after)).floor;
    if (after < floor) throw expiredRevision(after, floor);
    return changes;
  }

  async #head(after: number): Promise<Head> {
    const [row] = await this.#pool.query(statements.headAndEpochs, [after]);
    return headWithEpochs(row);
  }
}

interface LoggedChange {
  readonly epoch: number;
  readonly change: Change;
}

/**
 * Splits changes into batches of one epoch each. The first batch of an epoch also covers the hole before it:
 * with changes 4, 5 and then 11 of an epoch whose hole is 6-10, the batches are 4-5 and 6-11.
 */
function* batchesOf(
  after: number,
  end: number,
  changes: readonly LoggedChange[],
  epochs: readonly Epoch[],
): Generator<LogBatch> {
  let open: LogBatch | undefined;
  let at = after;
  for (const { epoch, change } of changes) {
    if (change.revision !== at + 1) {
      const hole = epochs.find((e) => e.lastSurviving === at && e.firstNew === change.revision);
      if (hole === undefined) throw internalError(`the log has a gap after revision ${at}`);
    }
    if (open !== undefined && open.epoch !== epoch) {
      yield open;
      open = undefined;
    }
    open ??= { epoch, first: at + 1, last: at, changes: [] };
    open.changes.push(change);
    open.last = at = change.revision;
  }
  if (open !== undefined) yield open;
  if (changes.length > 0) return;
  // an epoch without changes
  const hole = epochs.find((e) => e.lastSurviving === after);
  if (hole === undefined) throw internalError(`the log has a gap after revision ${after}`);
  yield { epoch: hole.epoch, first: after + 1, last: Math.min(end, hole.firstNew - 1), changes: [] };
}

/** Whether the statement stopped at one of its limits, so that the range may have more rows. */
function isCut(rows: readonly Row[]): boolean {
  const bytes = rows.reduce((sum, row) => sum + (stateAt(row, STATE).value?.length ?? 0), 0);
  return rows.length >= BATCH.rows || bytes >= BATCH.bytes;
}

/** the first column of the state in a row */
const STATE = 6;

function changeOf(row: Row, vault: Vault): LoggedChange {
  const [kind, epoch, resource, namespace, name, previousRevision] = row as unknown as readonly [
    WriteKind,
    number,
    string,
    string,
    string,
    number,
  ];
  const state = stateAt(row, STATE);
  if (state.value === null) throw internalError(`the log has no value for revision ${state.revision}`);
  const { stale: _, ...object } = vault.open({ resource, namespace, name }, state);
  return { epoch, change: { ...object, kind, previousRevision, traceparent: '', byReference: false } };
}

export function expiredRevision(requested: number, floor: number): Error {
  return expired(`too old resource version: ${requested} (${floor})`);
}
