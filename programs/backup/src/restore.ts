import { migrate } from '@tidegate/database';
import { columnList, objectColumns, refuseForeignColumns, schemaVersion } from './columns.ts';
import { BackupError } from './file/backup-error.ts';
import { copyEnd, copyHeading } from './file/copy-rows.ts';
import type { Header, Trailer } from './file/header.ts';
import { readBackup, verifyBackup } from './file/read-backup.ts';
import type { Tally } from './file/tally.ts';
import { inTransaction, reachServer, type Session } from './session.ts';

interface RestoreOptions {
  readonly url: string;
  readonly file: string;
  /** the present contents of the database are deleted */
  readonly replace: boolean;
  readonly onVerified?: (tally: Tally, header: Header) => void;
  readonly onRows?: (tally: Tally, header: Header) => void;
}

const LOCK_NOT_AVAILABLE = '55P03';

/** finds objects that a new system does not have: a new system has only these namespaces */
const FOREIGN = `SELECT concat_ws('/', resource, nullif(namespace, ''), name), count(*) OVER () FROM tidegate.objects
  WHERE NOT (resource = 'namespaces' AND name IN ('default', 'kube-node-lease', 'kube-public', 'kube-system'))
  ORDER BY resource, namespace, name LIMIT 1`;

/**
 * Replaces the contents of a database by a backup.
 *
 * Invariant: the whole file is verified before anything is written, and again during the write. All writes are one
 * transaction under the lock of the head. So readers see the old state or the new one, no commit happens in between,
 * and a restore that fails has changed nothing.
 */
export async function restore(
  options: RestoreOptions,
): Promise<{ revision: number; header: Header; trailer: Trailer }> {
  const { url, file, replace } = options;
  const { header, trailer } = await verifyBackup(file, options.onVerified);
  // creates the schema in an empty database, and updates an older one
  await reachServer(url, migrate);
  const revision = await inTransaction(url, 'isolation level read committed', async (session) => {
    await lockHead(session);
    await refuseNewer(session, header);
    if (!replace) await refuseUsedSystem(session);
    // not TRUNCATE: with DELETE present lists keep their snapshots, and the restore does not wait for readers
    await session.query('DELETE FROM tidegate.objects');
    await session.query('DELETE FROM tidegate.log');
    await copyObjects(session, options, header, trailer);
    return openRestoredEpoch(session, header);
  });
  await inTransaction(url, '', (session) => session.query('ANALYZE tidegate.objects'));
  return { revision, header, trailer };
}

/** Blocks all commits until the end of the transaction. */
async function lockHead(session: Session): Promise<void> {
  await session.query("SET LOCAL lock_timeout = '30s'");
  try {
    await session.query('SELECT FROM tidegate.head FOR UPDATE');
  } catch (error) {
    if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
    throw new BackupError('another restore, or a commit that hangs, holds the database: try again when it has ended', {
      cause: error,
    });
  }
}

async function refuseNewer(session: Session, header: Header): Promise<void> {
  const version = await schemaVersion(session);
  if (header.schemaVersion > version) {
    throw new BackupError(
      `the backup has schema version ${header.schemaVersion}, written by tidegate ${header.version}, and this release supports only ${version}: restore it with that release or a newer one`,
    );
  }
  refuseForeignColumns(header, await objectColumns(session));
}

/** Rejects a database with objects, unless the user has requested to replace them. */
async function refuseUsedSystem(session: Session): Promise<void> {
  const [first] = await session.query(FOREIGN);
  if (first === undefined) return;
  const more = Number(first[1]) - 1;
  throw new BackupError(
    `the database holds ${first[0]}${more > 0 ? ` and ${more} more objects` : ''}: add --replace to delete its contents, or restore into an empty one`,
  );
}

async function copyObjects(session: Session, options: RestoreOptions, header: Header, trailer: Trailer): Promise<void> {
  const { file, onRows = () => {} } = options;
  const statement = `COPY tidegate.objects (${columnList(header.columns)}) FROM STDIN (FORMAT binary)`;
  await session.copyIn(statement, async (give) => {
    await give(copyHeading);
    for await (const part of readBackup(file)) {
      if (part.kind === 'rows') {
        await give(part.bytes);
        onRows(part.tally, header);
      } else if (part.kind === 'trailer' && part.trailer.digest !== trailer.digest) {
        throw new BackupError(`${file} was changed while it was read: nothing was restored`);
      }
    }
    await give(copyEnd);
  });
}

/**
 * Sets the head above every revision that this database or the source of the backup has used, and opens a new epoch.
 *
 * The floor and the epoch's last surviving revision are the new revision. So no older revision can be watched or listed
 * (410), and every cache and client reads everything again. The next change follows this revision without a hole; with
 * a hole the floor would be inside it, and no watch could begin there.
 */
async function openRestoredEpoch(session: Session, from: { revision: number; epoch: number }): Promise<number> {
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
