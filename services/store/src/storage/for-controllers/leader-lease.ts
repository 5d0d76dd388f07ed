import type { Pool } from '@tidegate/database';
import type * as port from '../../controllers/port.ts';

const ACQUIRE = `INSERT INTO tidegate.leases AS l (name, holder, fence, expires_at)
  VALUES ($1, $2, 1, clock_timestamp() + make_interval(secs => $3::double precision))
  ON CONFLICT (name) DO UPDATE SET
    holder = excluded.holder,
    expires_at = excluded.expires_at,
    fence = l.fence + CASE WHEN l.holder = excluded.holder THEN 0 ELSE 1 END
  WHERE l.holder = excluded.holder OR l.expires_at < clock_timestamp()
  RETURNING fence`;

// the row stays: a fence must never be issued twice
const RELEASE = `UPDATE tidegate.leases SET holder = '', expires_at = '-infinity' WHERE name = $1 AND holder = $2`;

interface LeaderLeaseOptions {
  readonly name: string;
  readonly holder: string;
  readonly seconds: number;
}

/**
 * One replica's claim to work that only one replica should do.
 *
 * Invariant: only PostgreSQL's clock decides. A holder that was stopped for longer than the lease has lost it, and its
 * next `hold` returns so.
 */
export class LeaderLease implements port.LeaderLease {
  readonly name: string;
  readonly seconds: number;
  readonly #pool: Pool;
  readonly #holder: string;

  constructor(pool: Pool, { name, holder, seconds }: LeaderLeaseOptions) {
    this.#pool = pool;
    this.name = name;
    this.seconds = seconds;
    this.#holder = holder;
  }

  /** Takes or renews the lease. Returns its fence, or undefined while another replica holds it. */
  async hold(): Promise<number | undefined> {
    const [row] = await this.#pool.query(ACQUIRE, [this.name, this.#holder, this.seconds]);
    return row === undefined ? undefined : Number(row[0]);
  }

  async release(): Promise<void> {
    await this.#pool.query(RELEASE, [this.name, this.#holder]);
  }
}
