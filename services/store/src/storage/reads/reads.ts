import { type Pool, type Row, textArray } from '@tidegate/database';
import type { HeadResponse, Key, ReadOutcome } from '@tidegate/wire';
import type { Vault } from '../../encryption/vault.ts';
import type { StoreMetrics } from '../../metrics.ts';
import { stateAt, statements } from '../statements.ts';
import { Batcher } from './batcher.ts';

const RETRY_FOR_MS = 1000;
/** reading the head is also the health check: a query that hangs must be noticed within two seconds */
const HEAD_MS = 1500;
const MISSING: ReadOutcome = { found: false, object: null, again: false };
const AGAIN: ReadOutcome = { found: false, object: null, again: true };
/** values up to this size are read together, larger values one by one */
const SMALL_BYTES = 64 << 10;
/** the limit of large values in one answer; the value that exceeds it is the last one */
const LARGE_BYTES = 4 << 20;

/** Reads objects by key. Reads that arrive while two statements are in flight share the next statement. */
export class KeyReader {
  readonly #batcher: Batcher<Key, ReadOutcome>;

  constructor(pool: Pool, vault: Vault, metrics: StoreMetrics) {
    this.#batcher = new Batcher({
      run: async (keys) => {
        metrics.reads.inc(keys.length);
        return readKeys(pool, vault, keys);
      },
      inFlight: 2,
      size: 512,
      waiting: 10_000,
      retryForMs: RETRY_FOR_MS,
    });
  }

  get length(): number {
    return this.#batcher.length;
  }

  read(keys: readonly Key[]): Promise<ReadOutcome[]> {
    return this.#batcher.submit(keys);
  }
}

async function readKeys(pool: Pool, vault: Vault, keys: readonly Key[]): Promise<ReadOutcome[]> {
  const outcomes: ReadOutcome[] = new Array(keys.length).fill(MISSING);
  const large: number[] = [];
  for (const row of await readRows(pool, keys, SMALL_BYTES)) {
    const at = (row[0] as number) - 1;
    const state = stateAt(row, 1);
    if (state.value === null) large.push(at);
    else outcomes[at] = { found: true, object: vault.open(keys[at] as Key, state), again: false };
  }
  let bytes = 0;
  for (const at of large) {
    if (bytes >= LARGE_BYTES) {
      outcomes[at] = AGAIN;
      continue;
    }
    const key = keys[at] as Key;
    const [row] = await readRows(pool, [key], ANY_BYTES);
    if (row === undefined) continue;
    const object = vault.open(key, stateAt(row, 1));
    bytes += object.value.length;
    outcomes[at] = { found: true, object, again: false };
  }
  return outcomes;
}

const ANY_BYTES = 2 ** 31;

function readRows(pool: Pool, keys: readonly Key[], maxBytes: number): Promise<Row[]> {
  return pool.query(statements.readBatch, [
    textArray(keys.map((key) => key.resource)),
    textArray(keys.map((key) => key.namespace)),
    textArray(keys.map((key) => key.name)),
    maxBytes,
  ]);
}

/** Reads the head row. Callers share a query that is not yet sent. */
export class HeadReader {
  readonly #batcher: Batcher<undefined, HeadResponse>;
  readonly #onHead: (head: HeadResponse) => void;

  constructor(pool: Pool, onHead: (head: HeadResponse) => void) {
    this.#onHead = onHead;
    this.#batcher = new Batcher({
      run: async (callers) => {
        const head = headOf((await pool.query(statements.head, [], HEAD_MS))[0]);
        this.#onHead(head);
        return new Array(callers.length).fill(head);
      },
      inFlight: 2,
      size: 10_000,
      waiting: 10_000,
      retryForMs: RETRY_FOR_MS,
    });
  }

  async read(): Promise<HeadResponse> {
    const [head] = await this.#batcher.submit([undefined]);
    return head as HeadResponse;
  }
}

export function headOf(row: Row | undefined): HeadResponse {
  const [revision, floor, epoch] = row as [number, number, number];
  return { revision, floor, epoch };
}
