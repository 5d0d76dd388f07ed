import type { Session } from './session.ts';

/**
 * Sets the head above everything that was ever told, here and where the backup was made, and opens a new epoch.
 *
 * The floor is the new revision itself, and so is the epoch's last surviving one: nothing older can be watched or listed
 * (410), so every cache and every client reads anew; what comes next has this revision as its forerunner, without a
 * hole. Were the hole kept, the floor would lie in it, and nothing could begin there.
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
  // for stores that hear of each other's commits this way; the others see it within a second
  await session.query(`SELECT pg_notify('tidegate', '${revision}')`);
  return revision;
}
