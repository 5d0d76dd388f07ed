import { numberArray, type Pool, textArray } from '@tidegate/database';
import type { Key } from '@tidegate/wire';
import type * as port from '../../controllers/port.ts';

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
/** one owner may have many dependents, and after a long pause every object with owners is a suspect */
const NOTE_MS = 120_000;
const AWAIT_SECONDS = 300;

/**
 * The garbage collector's queue of suspects, kept in PostgreSQL.
 *
 * Invariant: every change that may make an object garbage is in the queue, or lies after the revision through which the
 * log was read. So no change is lost when a process dies. An object in the queue is only a suspect.
 *
 *   deleted: Deployment web (uid 77ab)        →  in the queue: ReplicaSet web-1, whose ties are owner/77ab
 *   written: Pod web-1-x with blocks/5f0c     →  in the queue: Pod web-1-x, because its owner may not exist any more
 */
export class GarbageQueue implements port.GarbageQueue {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async note(): Promise<boolean> {
    const [row] = await this.#pool.query(NOTE, [CHANGES], NOTE_MS);
    return row?.[0] === true;
  }

  async due(limit: number): Promise<port.Suspect[]> {
    const rows = await this.#pool.query(DUE, [limit]);
    return rows.map((row) => {
      const [resource, namespace, name, reason, attempts] = row as [string, string, string, number, number];
      return { key: { resource, namespace, name }, reason, attempts };
    });
  }

  async settle(suspects: readonly port.Suspect[]): Promise<void> {
    if (suspects.length > 0) await this.#pool.query(SETTLE, keysAndReasons(suspects));
  }

  async postpone(postponed: readonly port.PostponedSuspect[]): Promise<void> {
    if (postponed.length === 0) return;
    const delays = numberArray(postponed.map(({ delayMs }) => Math.round(delayMs)));
    await this.#pool.query(POSTPONE, [...keysAndReasons(postponed.map(({ suspect }) => suspect)), delays]);
  }

  async awaitDependents({ key, reason }: port.Suspect, uid: string): Promise<void> {
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

function keysAndReasons(suspects: readonly port.Suspect[]): string[] {
  return [
    textArray(suspects.map(({ key }) => key.resource)),
    textArray(suspects.map(({ key }) => key.namespace)),
    textArray(suspects.map(({ key }) => key.name)),
    numberArray(suspects.map(({ reason }) => reason)),
  ];
}
