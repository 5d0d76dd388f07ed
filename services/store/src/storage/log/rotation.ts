import type { Pool } from '@tidegate/database';
import { statements } from '../statements.ts';

/** six full slots hold the window; the ring has eight, so that a rotation may be late */
const SLOTS_PER_WINDOW = 6;

export async function rotateLog(pool: Pool, windowSeconds: number): Promise<string> {
  const [row] = await pool.query(statements.rotateLog, [windowSeconds / SLOTS_PER_WINDOW]);
  return String(row?.[0]);
}

const SIZES = `SELECT 'objects', pg_total_relation_size('tidegate.objects') UNION ALL
  SELECT 'log', sum(pg_total_relation_size(inhrelid))::bigint FROM pg_inherits WHERE inhparent = 'tidegate.log'::regclass`;

/** The sizes of the tables with their indexes and large values. */
export async function tableSizes(pool: Pool): Promise<Array<[string, number]>> {
  return (await pool.query(SIZES)) as unknown as Array<[string, number]>;
}
