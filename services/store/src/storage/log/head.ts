import type { Pool, Row } from '@tidegate/database';
import { statements } from '../statements.ts';

/** An epoch that begins in or above the range: revisions between the two numbers do not exist. */
export interface Epoch {
  readonly epoch: number;
  readonly lastSurviving: number;
  readonly firstNew: number;
}

export interface Head {
  readonly revision: number;
  readonly floor: number;
  readonly epoch: number;
  readonly epochs: readonly Epoch[];
}

/** The head row with the epochs that begin above a revision, as one statement reads them. */
export function headWithEpochs(row: Row | undefined): Head {
  const [revision, floor, epoch, epochs] = row as [number, number, number, Array<[number, number, number]>];
  return {
    revision,
    floor,
    epoch,
    epochs: epochs.map(([number, lastSurviving, firstNew]) => ({ epoch: number, lastSurviving, firstNew })),
  };
}

/** Whether a reader cannot continue at this revision: it is below the floor, or was lost in a failover. */
export function isLost(head: Head, revision: number): boolean {
  return revision < head.floor || head.epochs.some((e) => revision > e.lastSurviving && revision < e.firstNew);
}

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
