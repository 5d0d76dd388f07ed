import { type FailureKind, failureKind, isUnreachable, type Pool } from '@tidegate/database';
import { delayMs, type Logger, Retry, type TraceSpan, type Tracing } from '@tidegate/service-kit';
import { timeout, tooManyRequests } from '@tidegate/status';
import { outcomeKind, type Write, type WriteOutcome, writeKind } from '@tidegate/wire';
import type { Sealed, Vault } from '../../encryption/vault.ts';
import type { StoreMetrics } from '../../metrics.ts';
import { reasonOf } from '../unavailable-error.ts';
import { formBatch } from './batch-former.ts';
import { type Commit, outcome, type SealedWrite } from './commit.ts';
import { commitBatch } from './commit-batch.ts';
import { commitOne, isSingle } from './commit-one.ts';

/** One commit, as the publisher gets it: writes and spans are in the order of the commit's outcomes. */
export interface Committed {
  readonly commit: Commit;
  readonly writes: readonly Write[];
  readonly spans: ReadonlyArray<TraceSpan | undefined>;
  /** when its answer arrived, by this process's clock */
  readonly knownAt: number;
}

interface Waiting extends SealedWrite {
  /** the writes that are committed together with it, after it */
  readonly joined: readonly SealedWrite[];
  readonly bytes: number;
  readonly since: number;
  readonly span: TraceSpan | undefined;
  readonly settle: (outcome: WriteOutcome) => void;
  readonly fail: (error: Error) => void;
}

interface BatcherOptions {
  pool: Pool;
  vault: Vault;
  notify: boolean;
  metrics: StoreMetrics;
  tracing: Tracing;
  log: Logger;
  onCommit: (committed: Committed) => void;
  now?: () => number;
}

const BATCH = { writes: 512, bytes: 4 << 20 };
const QUEUE = { writes: 10_000, bytes: 64 << 20 };
/** how long writes wait after PostgreSQL became unreachable; later writes are tried once */
const UNREACHABLE_MS = 1000;
/** how long a commit without an answer is sent again; after that its outcome is unknown */
const UNKNOWN_MS = 10_000;
const PAUSES = { firstMs: 50, longestMs: 200 };
const NOTHING = new Uint8Array(0);
const NO_WRITES: SealedWrite[] = [];

/**
 * Group commit. Invariant: at most one commit call is in flight; writes that arrive in the meantime form the next batch.
 * Every write is answered once. A call whose answer was lost is sent again with the same operation ids until it is
 * answered, so that no outcome is guessed.
 */
export class CommitBatcher {
  readonly #options: BatcherOptions;
  readonly #now: () => number;
  #queue: Waiting[] = [];
  #queuedBytes = 0;
  #running = false;
  #awaySince: number | undefined;

  constructor(options: BatcherOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  get length(): number {
    return this.#queue.length;
  }

  /** Returns outcomes in the order of the writes. Rejects only where an outcome is unknown or the queue is full. */
  submit(writes: readonly Write[]): Promise<WriteOutcome[]> {
    const bytes = writes.reduce((sum, write) => sum + sizeOf(write), 0);
    if (this.#queue.length + writes.length > QUEUE.writes || this.#queuedBytes + bytes > QUEUE.bytes) {
      return Promise.reject(tooManyRequests('the store has too many writes waiting, please try again later'));
    }
    this.#queuedBytes += bytes;
    return new Promise((resolve, reject) => {
      const outcomes: WriteOutcome[] = new Array(writes.length);
      let open = writes.length;
      let failure: Error | undefined;
      const close = () => {
        if (--open > 0) return;
        if (failure === undefined) resolve(outcomes);
        else reject(failure);
      };
      writes.forEach((write, i) => {
        const span = this.#options.tracing.child('store.commit', write.traceparent);
        this.#queue.push({
          write,
          sealed: this.#seal(write),
          joined: this.#sealJoined(write),
          bytes: sizeOf(write),
          since: this.#now(),
          span,
          settle: (result) => {
            outcomes[i] = result;
            span?.end();
            close();
          },
          fail: (error) => {
            failure = error;
            span?.end(error.message);
            close();
          },
        });
      });
      this.#start();
    });
  }

  /** Resolves when all accepted writes are answered. */
  async idle(): Promise<void> {
    while (this.#running) await delayMs(5);
  }

  /** Joined writes were sent together with their write. */
  #sealJoined({ joined, sentAfter }: Write): SealedWrite[] {
    if (!joined?.length) return NO_WRITES;
    return joined.map((write) => ({ write: { ...write, sentAfter: sentAfter ?? 0 }, sealed: this.#seal(write) }));
  }

  /** A write is sealed once, so that a repeated call sends the same bytes. */
  #seal(write: Write): Sealed {
    // a field that is absent in the message is decoded as an empty array
    const value = write.value?.length ? write.value : NOTHING;
    const selection = write.selection?.length ? write.selection : NOTHING;
    if (write.kind === writeKind.delete) return { value: NOTHING, selection: NOTHING, checksum: 0 };
    return this.#options.vault.seal(write.key, { value, selection });
  }

  #start(): void {
    if (this.#running || this.#queue.length === 0) return;
    this.#running = true;
    // writes that arrive in this turn of the event loop are sent together
    setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      const { batch, rest } = formBatch(this.#queue, BATCH);
      this.#queue = rest;
      for (const item of batch) this.#queuedBytes -= item.bytes;
      await this.#commit(batch, false);
    }
    this.#running = false;
  }

  /** Sends the batch until it is answered or fails. `unknown`: an earlier attempt may have been executed. */
  async #commit(batch: readonly Waiting[], unknown: boolean): Promise<void> {
    const begun = this.#now();
    let perhapsDone = unknown;
    const retry = new Retry(PAUSES);
    for (;;) {
      try {
        const commit = await this.#call(batch);
        this.#awaySince = undefined;
        this.#settle(batch, commit);
        return;
      } catch (error) {
        const kind = failureKind(error);
        if (kind === 'refused' || kind === 'unexpected') return this.#sendSeparately(batch, error, perhapsDone);
        perhapsDone ||= kind === 'lost';
        if (isUnreachable(kind)) {
          this.#awaySince ??= begun;
          this.#giveUpWaiting(error);
        }
        const waits = perhapsDone || kind === 'busy';
        const since = waits ? begun : (this.#awaySince ?? begun);
        if (kind === 'exhausted' || this.#now() - since >= (waits ? UNKNOWN_MS : UNREACHABLE_MS)) {
          return this.#giveUp(batch, kind, error, perhapsDone);
        }
        await retry.failed(error);
      }
    }
  }

  async #call(batch: readonly Waiting[]): Promise<Commit> {
    const { pool, notify, metrics, tracing } = this.#options;
    const attributes = { 'tidegate.batch.size': batch.length };
    const spans = tracing.enabled
      ? batch.map((item) => tracing.child('postgresql.commit', item.span?.traceparent, { kind: 'CLIENT', attributes }))
      : [];
    const started = performance.now();
    try {
      const writes = flat(batch);
      return await (isSingle(writes)
        ? commitOne(pool, writes[0] as SealedWrite, notify)
        : commitBatch(pool, writes, notify));
    } finally {
      metrics.commitSeconds.observe((performance.now() - started) / 1000);
      metrics.commitBatchSize.observe(batch.length);
      for (const span of spans) span?.end();
    }
  }

  #settle(batch: readonly Waiting[], commit: Commit): void {
    let at = 0;
    for (const item of batch) {
      const result = commit.outcomes[at] as WriteOutcome;
      at += 1 + item.joined.length;
      this.#count(result);
      item.settle(result);
    }
    if (commit.last > commit.after) {
      this.#options.onCommit({
        commit,
        writes: flat(batch).map(({ write }) => write),
        spans: batch.flatMap(({ span, joined }) => [span, ...joined.map(() => span)]),
        knownAt: performance.now(),
      });
    }
  }

  /** Sends each write by itself, so that a write that cannot be stored fails alone. */
  async #sendSeparately(batch: readonly Waiting[], error: unknown, unknown: boolean): Promise<void> {
    const [only, ...others] = batch;
    if (only === undefined) return;
    if (others.length > 0) {
      for (const item of batch) await this.#commit([item], unknown);
      return;
    }
    const message = error instanceof Error ? error.message : String(error);
    this.#options.log.warn({ err: error, key: only.write.key }, 'A write could not be stored.');
    this.#answer(only, outcome(outcomeKind.refused, { message: `the object could not be stored: ${message}` }));
  }

  #giveUp(batch: readonly Waiting[], kind: FailureKind, error: unknown, unknown: boolean): void {
    const text = error instanceof Error ? error.message : String(error);
    this.#options.log.warn(
      { err: error, kind, writes: batch.length, unknown },
      'Writes failed: PostgreSQL did not execute them in time.',
    );
    for (const item of batch) {
      if (unknown) item.fail(timeout('the storage did not say whether the write was done'));
      else this.#answer(item, outcome(outcomeKind.unavailable, { message: reasonOf(kind, text) }));
    }
  }

  /** Writes that wait behind a failing batch do not wait longer than they would alone. */
  #giveUpWaiting(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    const latest = this.#now() - UNREACHABLE_MS;
    const late = this.#queue.filter((item) => item.since <= latest);
    if (late.length === 0) return;
    this.#queue = this.#queue.filter((item) => item.since > latest);
    for (const item of late) {
      this.#queuedBytes -= item.bytes;
      this.#answer(item, outcome(outcomeKind.unavailable, { message: reasonOf('absent', text) }));
    }
  }

  #answer(item: Waiting, result: WriteOutcome): void {
    this.#count(result);
    item.settle(result);
  }

  #count(result: WriteOutcome): void {
    this.#options.metrics.writes.inc(labels[result.kind] as { outcome: string });
  }
}

const labels = Object.fromEntries(
  Object.entries(outcomeKind).map(([outcomeName, kind]) => [kind, { outcome: outcomeName }]),
) as Record<number, { outcome: string }>;

/** The order of the call: each write, followed by its joined writes. */
function flat(batch: readonly Waiting[]): readonly SealedWrite[] {
  return batch.every(({ joined }) => joined.length === 0) ? batch : batch.flatMap((item) => [item, ...item.joined]);
}

function sizeOf({ value, selection, joined }: Write): number {
  const own = (value?.length ?? 0) + (selection?.length ?? 0) + 256;
  return joined?.length ? joined.reduce((sum, write) => sum + sizeOf(write), own) : own;
}
