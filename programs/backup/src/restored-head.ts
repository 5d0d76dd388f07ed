import type { Session } from './session.ts';

/**
 * Sets the head above every revision that this database or the source of the backup has used, and opens a new epoch.
 *
 * The floor and the epoch's last surviving revision are the new revision. So no older revision can be watched or listed
 * (410), and every cache and client reads everything again. The next change follows this revision without a hole; with a
 * hole the floor would be inside it, and no watch could begin there.
 */
export async function openRestoredEpoch(session: Session, from: { revision: number; epoch: number }): Promise<number> {
  await session.query(
    `UPDATE tidegate.head SET revision = greatest(revision, ${from.revision}), epoch = greatest(epoch, ${from.epoch})
     WHERE only_row`,
  );
  const [opened] = await session.query('SELECT revision, epoch FROM tidegate.open_epoch()');
  const [revision, epoch] = opened as [number, number];
  await session.query(
    `UPDATE tidegate.epochs SET last_surviving = ${revision}, first_new = ${revision + 1} WHERE epoch = ${epoch}`,
  );
  await session.query(
    `UPDATE tidegate.head SET floor = revision, slot_started_at = clock_timestamp(),
       slot_starts = array_fill(revision, ARRAY[cardinality(slot_starts)])
     WHERE only_row`,
  );
  // notifies stores without a bus; other stores see the new head within a second
  await session.query(`SELECT pg_notify('tidegate', '${revision}')`);
  return revision;
}
