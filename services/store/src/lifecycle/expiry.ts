import { randomBytes } from 'node:crypto';
import { guardKind, outcomeKind, type Write, writeKind } from '@tidegate/wire';
import type { CommitBatcher } from '../storage/commit-batcher.ts';
import type { Pool } from '../storage/connection.ts';

const EXPIRED = `SELECT resource, namespace, name, revision FROM tidegate.objects
  WHERE expires_at <= clock_timestamp() ORDER BY expires_at LIMIT $1::integer`;

const PORTION = 500;

/**
 * Deletes what has outlived its time. PostgreSQL's clock sets the time and judges it. Invariant: an object is deleted as
 * it was when its time was over, and by the holder of the lease: one that was written meanwhile lives on.
 */
export class Expiry {
  readonly #pool: Pool;
  readonly #commits: CommitBatcher;

  constructor(options: { pool: Pool; commits: CommitBatcher }) {
    this.#pool = options.pool;
    this.#commits = options.commits;
  }

  /** Answers how many objects were deleted. */
  async round(lease: string, fence: number): Promise<number> {
    let deleted = 0;
    for (;;) {
      const rows = await this.#pool.query(EXPIRED, [PORTION]);
      if (rows.length === 0) return deleted;
      const outcomes = await this.#commits.submit(rows.map((row) => deletion(row, lease, fence)));
      const done = outcomes.filter((outcome) => outcome.kind === outcomeKind.committed).length;
      deleted += done;
      // the rest were written meanwhile, or the lease is gone
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
