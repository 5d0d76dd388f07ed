import type { Pool } from '../storage/connection.ts';

const ACQUIRE = `INSERT INTO tidegate.leases AS l (name, holder, fence, expires_at)
  VALUES ($1, $2, 1, clock_timestamp() + make_interval(secs => $3::double precision))
  ON CONFLICT (name) DO UPDATE SET
    holder = excluded.holder,
    expires_at = excluded.expires_at,
    fence = l.fence + CASE WHEN l.holder = excluded.holder THEN 0 ELSE 1 END
  WHERE l.holder = excluded.holder OR l.expires_at < clock_timestamp()
  RETURNING fence`;

// the row stays: a fence must never be given twice
const RELEASE = `UPDATE tidegate.leases SET holder = '', expires_at = '-infinity' WHERE name = $1 AND holder = $2`;

/**
 * One replica's claim to work that only one should do.
 *
 * Invariant: PostgreSQL's clock alone decides. A holder that was stopped for longer than the lease has lost it, and
 * its next `hold` says so.
 */
export class Lease {
  readonly #pool: Pool;
  readonly #name: string;
  readonly #holder: string;
  readonly #seconds: number;

  constructor(pool: Pool, options: { name: string; holder: string; seconds: number }) {
    this.#pool = pool;
    this.#name = options.name;
    this.#holder = options.holder;
    this.#seconds = options.seconds;
  }

  /** Takes or renews the lease: its fence, or undefined while another replica holds it. */
  async hold(): Promise<number | undefined> {
    const [row] = await this.#pool.query(ACQUIRE, [this.#name, this.#holder, this.#seconds]);
    return row === undefined ? undefined : Number(row[0]);
  }

  async release(): Promise<void> {
    await this.#pool.query(RELEASE, [this.#name, this.#holder]);
  }
}
