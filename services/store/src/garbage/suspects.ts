import type { Key } from '@tidegate/wire';
import { numberArray, textArray } from '../storage/array-text.ts';
import type { Pool } from '../storage/connection.ts';

/** An object that may be garbage: somebody has to look. */
export interface Suspect {
  readonly key: Key;
  /** a look settles this reason and none that came later */
  readonly reason: number;
  /** how often it was looked at in vain */
  readonly attempts: number;
}

interface Postponed {
  readonly suspect: Suspect;
  readonly delayMs: number;
}

const NOTE = 'SELECT tidegate.note_suspects($1::integer)';
const DUE = `SELECT resource, namespace, name, reason, attempts FROM tidegate.suspects
  WHERE due <= clock_timestamp() ORDER BY due LIMIT $1::integer`;
const SETTLE = `DELETE FROM tidegate.suspects s
  USING unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) AS w (resource, namespace, name, reason)
  WHERE s.resource = w.resource AND s.namespace = w.namespace AND s.name = w.name AND s.reason = w.reason`;
const POSTPONE = `UPDATE tidegate.suspects s
  SET due = clock_timestamp() + make_interval(secs => w.delay / 1000.0), attempts = s.attempts + 1
  FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::integer[])
    AS w (resource, namespace, name, reason, delay)
  WHERE s.resource = w.resource AND s.namespace = w.namespace AND s.name = w.name AND s.reason = w.reason`;
const AWAIT = `SELECT tidegate.await_dependents($1, $2, $3, $4, $5::bigint, make_interval(secs => $6::double precision))`;
const DEPENDENTS = 'SELECT resource, namespace, name FROM tidegate.dependents_of($1, $2, $3::integer)';
const COUNT = 'SELECT count(*), count(waits_as) FROM tidegate.suspects';

const CHANGES = 20_000;
/** one owner may have very many dependents, and after a long pause everything is suspect */
const NOTE_MS = 120_000;
const AWAIT_SECONDS = 300;

/**
 * The garbage collector's list of what to look at, kept in PostgreSQL. Invariant: every change that may make an object
 * garbage is on the list or lies after the revision through which the log was looked through; so nothing is forgotten,
 * whoever dies when. What is on the list is no more than suspect.
 *
 *   deleted: Deployment web (uid 77ab)        →  on the list: ReplicaSet web-1, whose ties are owner/77ab
 *   written: Pod web-1-x with blocks/5f0c     →  on the list: Pod web-1-x, because its owner may be gone already
 */
export class Suspects {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Looks through the log; answers whether there is more of it. */
  async note(): Promise<boolean> {
    const [row] = await this.#pool.query(NOTE, [CHANGES], NOTE_MS);
    return row?.[0] === true;
  }

  async due(limit: number): Promise<Suspect[]> {
    const rows = await this.#pool.query(DUE, [limit]);
    return rows.map((row) => {
      const [resource, namespace, name, reason, attempts] = row as [string, string, string, number, number];
      return { key: { resource, namespace, name }, reason, attempts };
    });
  }

  async settle(suspects: readonly Suspect[]): Promise<void> {
    if (suspects.length > 0) await this.#pool.query(SETTLE, keysAndReasons(suspects));
  }

  async postpone(postponed: readonly Postponed[]): Promise<void> {
    if (postponed.length === 0) return;
    const delays = numberArray(postponed.map(({ delayMs }) => Math.round(delayMs)));
    await this.#pool.query(POSTPONE, [...keysAndReasons(postponed.map(({ suspect }) => suspect)), delays]);
  }

  /** The owner is due when nothing blocks it any more; what depends on it is due now. */
  async awaitDependents({ key, reason }: Suspect, uid: string): Promise<void> {
    const { resource, namespace, name } = key;
    await this.#pool.query(AWAIT, [resource, namespace, name, uid, reason, AWAIT_SECONDS], NOTE_MS);
  }

  async dependentsOf({ uid, key }: { uid: string; key: Key }, limit: number): Promise<Key[]> {
    const rows = await this.#pool.query(DEPENDENTS, [uid, key.namespace, limit]);
    return rows.map((row) => {
      const [resource, namespace, name] = row as [string, string, string];
      return { resource, namespace, name };
    });
  }

  async count(): Promise<{ all: number; waiting: number }> {
    const [row] = await this.#pool.query(COUNT);
    const [all, waiting] = row as [number, number];
    return { all, waiting };
  }
}

function keysAndReasons(suspects: readonly Suspect[]): string[] {
  return [
    textArray(suspects.map(({ key }) => key.resource)),
    textArray(suspects.map(({ key }) => key.namespace)),
    textArray(suspects.map(({ key }) => key.name)),
    numberArray(suspects.map(({ reason }) => reason)),
  ];
}
