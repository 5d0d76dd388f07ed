import { statements } from '../sql/statements.ts';
import type { Pool } from './connection.ts';

/** Six full slots hold the window; the ring has eight, so that one may be late. */
const SLOTS_PER_WINDOW = 6;

export async function rotateLog(pool: Pool, windowSeconds: number): Promise<string> {
  const [row] = await pool.query(statements.rotateLog, [windowSeconds / SLOTS_PER_WINDOW]);
  return String(row?.[0]);
}
