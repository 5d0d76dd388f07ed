import type { Pool, Row } from '@tidegate/database';
import { expired, internalError } from '@tidegate/status';
import type { Change, LogBatch, WriteKind } from '@tidegate/wire';
import type { Vault } from '../encryption/vault.ts';
import { type Epoch, type Head, headWithEpochs, isLost } from './head.ts';
import { stateAt } from './state-row.ts';
import { statements } from './statements.ts';

const BATCH = { rows: 512, bytes: 1 << 20 };
/** How much of the log one statement looks through for the changes of one resource. */
const SPAN = 50_000;

/**
 * The log of changes. Promise of every read: the batches cover (after, through] without gaps and in order, or the
 * read fails with Expired; that the revisions follow one another is checked here, row by row, because a slot may be
 * truncated while its reader is under way.
 */
export class LogReader {
  readonly #pool: Pool;
  readonly #vault: Vault;

  constructor(pool: Pool, vault: Vault) {
    this.#pool = pool;
    this.#vault = vault;
  }

  /** resource '' reads all. through 0 reads to the current revision, and so does one that is not reached yet. */
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
      // PostgreSQL reads on while the reader takes these
      if (at < end) changes = this.#changes(at, end);
      // the next turn awaits it; a reader that stops before does not need it
      changes.catch(() => {});
      yield* batches;
    }
  }

  /** What one resource has: no row tells of one that is missing, but the floor does, after they were read. */
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
    // rows are missing at a hole between epochs, or because their slot has been truncated meanwhile
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
 * Cuts what was read into batches of one epoch each. The first batch of an epoch also covers the hole before it:
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
  // an epoch that nothing has been written in yet
  const hole = epochs.find((e) => e.lastSurviving === after);
  if (hole === undefined) throw internalError(`the log has a gap after revision ${after}`);
  yield { epoch: hole.epoch, first: after + 1, last: Math.min(end, hole.firstNew - 1), changes: [] };
}

/** There may be more in the range: the statement has stopped at one of its limits. */
function isCut(rows: readonly Row[]): boolean {
  const bytes = rows.reduce((sum, row) => sum + (stateAt(row, STATE).value?.length ?? 0), 0);
  return rows.length >= BATCH.rows || bytes >= BATCH.bytes;
}

/** Where a row's state begins. */
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

export function expiredRevision(asked: number, floor: number): Error {
  return expired(`too old resource version: ${asked} (${floor})`);
}
