import { delayMs } from '@tidegate/service-kit';
import type { Pool } from './connection.ts';
import { failureKind, isAway } from './sqlstate.ts';

export interface ServerFacts {
  /** as server_version_num */
  readonly version: number;
}

const OLDEST = 150_000;
const NOTE_SERVER = 'SELECT moved FROM tidegate.note_server()';

/** Waits until PostgreSQL takes calls: it may be starting at the same time as the store. */
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
      if (!isAway(kind) && kind !== 'exhausted') throw error;
      if (now() >= deadline) {
        const words = error instanceof Error ? error.message : String(error);
        throw new Error(`PostgreSQL cannot be reached for ${Math.round(waitMs / 1000)} s: ${words}`, { cause: error });
      }
      await delayMs(pauseMs);
    }
  }
}

/** Refuses a server that is too old or that forgets what it has acknowledged. */
export async function checkServer(pool: Pool, allowDataLoss: boolean): Promise<ServerFacts> {
  const [row] = await pool.query(
    `SELECT current_setting('server_version_num'), current_setting('fsync'), current_setting('synchronous_commit')`,
  );
  const [version, fsync, synchronousCommit] = row as [string, string, string];
  if (Number(version) < OLDEST) {
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

/** A database that now lives in another PostgreSQL (a promoted standby, a restored copy) may lack its newest commits. */
export async function openEpochIfMoved(pool: Pool): Promise<boolean> {
  const [row] = await pool.query(NOTE_SERVER);
  return row?.[0] === true;
}
