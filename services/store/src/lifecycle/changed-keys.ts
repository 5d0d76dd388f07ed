import type { Key } from '@tidegate/wire';
import { textArray } from '../storage/array-text.ts';
import type { Pool } from '../storage/connection.ts';

/** What is looked for: all of a resource, or those of its objects that have one name. */
export interface Watched {
  readonly resource: string;
  readonly name?: string;
}

const SINCE = `SELECT h.revision, h.floor, (
    SELECT coalesce(json_agg(DISTINCT jsonb_build_array(l.resource, l.namespace, l.name)), '[]')
    FROM tidegate.log l
    JOIN unnest($2::text[], $3::text[]) AS w (resource, name)
      ON w.resource = l.resource AND (w.name = '' OR w.name = l.name)
    WHERE l.revision > $1::bigint
  ) FROM tidegate.head h`;

/**
 * The keys among those watched that were written since the last look. Invariant: one statement reads the head and the log,
 * so nothing is passed over; where the log does not reach back so far, or at the first look, the answer is `undefined`:
 * everything may have changed.
 */
export class ChangedKeys {
  readonly #pool: Pool;
  readonly #resources: string;
  readonly #names: string;
  #through = 0;
  #fence: number | undefined;

  constructor(pool: Pool, watched: readonly Watched[]) {
    this.#pool = pool;
    this.#resources = textArray(watched.map(({ resource }) => resource));
    this.#names = textArray(watched.map(({ name }) => name ?? ''));
  }

  async look(): Promise<Key[] | undefined> {
    const [row] = await this.#pool.query(SINCE, [this.#through, this.#resources, this.#names]);
    const [revision, floor, keys] = row as unknown as [number, number, Array<[string, string, string]>];
    const known = this.#through > 0 && this.#through >= floor;
    this.#through = revision;
    return known ? keys.map(([resource, namespace, name]) => ({ resource, namespace, name })) : undefined;
  }

  /** The same for who holds a lease: somebody else may have held it meanwhile, and what was changed then is to be seen. */
  lookUnder(fence: number): Promise<Key[] | undefined> {
    if (fence !== this.#fence) this.forget();
    this.#fence = fence;
    return this.look();
  }

  /** The next look is like the first. */
  forget(): void {
    this.#through = 0;
  }
}
