import { delayMs } from '@tidegate/service-kit';
import type { Pool } from './connection.ts';
import { failureKind, isUnreachable } from './sqlstate.ts';

export interface ServerFacts {
  /** as server_version_num */
  readonly version: number;
}

const MIN_VERSION = 150_000;
const NOTE_SERVER = 'SELECT moved FROM tidegate.note_server()';

/** Waits until PostgreSQL answers, because it may start at the same time as this process. */
export async function waitForServer(
  pool: Pool,
  waitMs: number,
  now: () => number = () => performance.now(),
): Promise<void> {
  const deadline = now() + waitMs;
  for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 1.3, 500)) {
    try {
      await pool.query('SELECT 1', [], 2000);
      return;
    } catch (error) {
      const kind = failureKind(error);
      if (!isUnreachable(kind) && kind !== 'exhausted') throw error;
      if (now() >= deadline) {
        const message = error instanceof Error ? error.message : String(error);
        throw new Error(`PostgreSQL cannot be reached for ${Math.round(waitMs / 1000)} s: ${message}`, {
          cause: error,
        });
      }
      await delayMs(pauseMs);
    }
  }
}

/** Rejects a server that is too old, or whose settings lose acknowledged writes in a crash. */
export async function checkServer(pool: Pool, allowDataLoss: boolean): Promise<ServerFacts> {
  const [row] = await pool.query(
    `SELECT current_setting('server_version_num'), current_setting('fsync'), current_setting('synchronous_commit')`,
  );
  const [version, fsync, synchronousCommit] = row as [string, string, string];
  if (Number(version) < MIN_VERSION) {
    throw new Error(`PostgreSQL 15 or newer is needed; this server has version number ${version}.`);
  }
  const off = [fsync === 'off' ? 'fsync' : '', synchronousCommit === 'off' ? 'synchronous_commit' : ''].filter(Boolean);
  if (off.length > 0 && !allowDataLoss) {
    throw new Error(
      `PostgreSQL runs with ${off.join(' and ')} off, so a crash would lose acknowledged writes: turn it on, or start with --allow-data-loss.`,
    );
  }
  return { version: Number(version) };
}

/**
 * Opens a new epoch in a promoted standby or a restored copy, which may lack the newest commits. Returns whether it
 * did.
 */
export async function openEpochIfMoved(pool: Pool): Promise<boolean> {
  const [row] = await pool.query(NOTE_SERVER);
  return row?.[0] === true;
}
