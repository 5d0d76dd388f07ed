import { migrate } from '@tidegate/database';
import { columnList, objectColumns, refuseForeignColumns, schemaVersion } from './columns.ts';
import { copyEnd, copyHeading } from './copy-rows.ts';
import { refuseUsedSystem } from './fresh-system.ts';
import type { Header, Trailer } from './heading.ts';
import { reachServer } from './reach-server.ts';
import { readBackup, verifyBackup } from './read-backup.ts';
import { Refusal } from './refusal.ts';
import { openRestoredEpoch } from './restored-head.ts';
import { inTransaction, type Session } from './session.ts';
import type { Tally } from './tally.ts';

interface RestoreOptions {
  readonly url: string;
  readonly file: string;
  /** whatever the database holds is lost */
  readonly replace: boolean;
  readonly onVerified?: (tally: Tally, header: Header) => void;
  readonly onRows?: (tally: Tally, header: Header) => void;
}

const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Makes a database hold what a backup holds, and nothing else.
 *
 * Invariant: the file is read to its end and found whole before anything is written, and again while it is written; all
 * writing is one transaction under the head's lock. So a reader sees the old state or the new one, no commit comes in
 * between, and a restore that ends early, in whichever way, has changed nothing.
 */
export async function restore(
  options: RestoreOptions,
): Promise<{ revision: number; header: Header; trailer: Trailer }> {
  const { url, file, replace } = options;
  const { header, trailer } = await verifyBackup(file, options.onVerified);
  // an empty database becomes one of this release's; a running system's is one already
  await reachServer(url, migrate);
  const revision = await inTransaction(url, 'isolation level read committed', async (session) => {
    await lockHead(session);
    await refuseNewer(session, header);
    if (!replace) await refuseUsedSystem(session);
    // not TRUNCATE: a list that is under way keeps its snapshot, and nobody who reads is waited for
    await session.query('DELETE FROM tidegate.objects');
    await session.query('DELETE FROM tidegate.log');
    await copyObjects(session, options, header, trailer);
    return openRestoredEpoch(session, header);
  });
  await inTransaction(url, '', (session) => session.query('ANALYZE tidegate.objects'));
  return { revision, header, trailer };
}

/** From here on nobody commits. */
async function lockHead(session: Session): Promise<void> {
  await session.query("SET LOCAL lock_timeout = '30s'");
  try {
    await session.query('SELECT FROM tidegate.head FOR UPDATE');
  } catch (error) {
    if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
    throw new Refusal('another restore, or a commit that hangs, holds the database: try again when it has ended', {
      cause: error,
    });
  }
}

async function refuseNewer(session: Session, header: Header): Promise<void> {
  const version = await schemaVersion(session);
  if (header.schemaVersion > version) {
    throw new Refusal(
      `the backup has schema version ${header.schemaVersion}, written by tidegate ${header.version}, and this release knows ${version}: restore it with that release or a newer one`,
    );
  }
  refuseForeignColumns(header, await objectColumns(session));
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
        throw new Refusal(`${file} was changed while it was read: nothing was restored`);
      }
    }
    await give(copyEnd);
  });
}
