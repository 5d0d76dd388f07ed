import { randomBytes } from 'node:crypto';
import type { Pool } from '@tidegate/database';
import { guardKind, outcomeKind, type Write, writeKind } from '@tidegate/wire';
import type * as port from '../../controllers/port.ts';
import type { CommitBatcher } from '../commits/commit-batcher.ts';

const EXPIRED = `SELECT resource, namespace, name, revision FROM tidegate.objects
  WHERE expires_at <= clock_timestamp() ORDER BY expires_at LIMIT $1::integer`;

const PORTION = 500;

interface ExpiryOptions {
  readonly pool: Pool;
  readonly commits: CommitBatcher;
  /** the name of the lease whose fence guards the deletions */
  readonly lease: string;
}

/**
 * Deletes the objects whose lifetime has ended. PostgreSQL's clock sets the end and checks it.
 *
 * Invariant: an object is deleted only at the revision that had expired, and only by the holder of the lease. An object
 * that was written in the meantime stays.
 */
export class Expiry implements port.ExpiredObjects {
  readonly #options: ExpiryOptions;

  constructor(options: ExpiryOptions) {
    this.#options = options;
  }

  async deleteExpired(fence: number): Promise<number> {
    const { pool, commits, lease } = this.#options;
    let deleted = 0;
    for (;;) {
      const rows = await pool.query(EXPIRED, [PORTION]);
      if (rows.length === 0) return deleted;
      const outcomes = await commits.submit(rows.map((row) => deletion(row, lease, fence)));
      const done = outcomes.filter((outcome) => outcome.kind === outcomeKind.committed).length;
      deleted += done;
      // the other objects were written in the meantime, or the lease was lost
      if (done === 0 || rows.length < PORTION) return deleted;
    }
  }
}

function deletion(row: readonly unknown[], lease: string, fence: number): Write {
  const [resource, namespace, name, revision] = row as readonly [string, string, string, number];
  return {
    kind: writeKind.delete,
    key: { resource, namespace, name },
    operationId: randomBytes(16),
    expectedRevision: revision,
    guards: [{ kind: guardKind.fence, key: { resource: '', namespace: '', name: lease }, fence }],
  };
}
