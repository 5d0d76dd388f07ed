import { createHash } from 'node:crypto';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import { columnList, objectColumns, schemaVersion } from './columns.ts';
import { BackupError } from './file/backup-error.ts';
import { rowsOfCopy } from './file/copy-rows.ts';
import { frame, frameKind, MARK } from './file/frames.ts';
import { FORMAT, type Header, type Trailer } from './file/header.ts';
import { Tally } from './file/tally.ts';
import { inTransaction, reachServer, type Session } from './session.ts';

const FRAME_BYTES = 256 << 10;

interface BackupOptions {
  readonly url: string;
  readonly version: string;
  readonly target: Writable;
  readonly onRows?: (tally: Tally, header: Header) => void;
  readonly now?: () => Date;
}

/**
 * Writes all objects as of one revision. Invariant: head and rows come from one snapshot, in key order; values are
 * copied byte by byte; memory holds one frame. An object that fails its checksum is copied, too, and reported at the
 * end, because a backup without it would hide that it existed.
 */
export async function backup(options: BackupOptions): Promise<{ header: Header; trailer: Trailer }> {
  await reachServer(options.url);
  let summary: { header: Header; trailer: Trailer } | undefined;
  await inTransaction(options.url, 'isolation level repeatable read read only', async (session) => {
    const header = await readHeader(session, options);
    const compress = createZstdCompress({ chunkSize: FRAME_BYTES, params: { [constants.ZSTD_c_checksumFlag]: 1 } });
    const frames = framesOfObjects(session, header, options.onRows ?? (() => {}), (trailer) => {
      summary = { header, trailer };
    });
    await pipeline(Readable.from(frames), compress, options.target);
  });
  return summary as { header: Header; trailer: Trailer };
}

async function readHeader(session: Session, { version, now = () => new Date() }: BackupOptions): Promise<Header> {
  const schema = await schemaVersion(session);
  if (schema === 0) throw new BackupError('this database has no schema of tidegate: check the URL');
  const [head] = await session.query('SELECT revision, epoch FROM tidegate.head');
  const [count] = await session.query('SELECT count(*) FROM tidegate.objects');
  return {
    format: FORMAT,
    version,
    schemaVersion: schema,
    takenAt: now().toISOString(),
    revision: Number(head?.[0]),
    epoch: Number(head?.[1]),
    objects: Number(count?.[0]),
    columns: await objectColumns(session),
  };
}

async function* framesOfObjects(
  session: Session,
  header: Header,
  onRows: (tally: Tally, header: Header) => void,
  onEnd: (trailer: Trailer) => void,
): AsyncGenerator<Buffer> {
  const digest = createHash('sha256');
  const hashed = (bytes: Buffer): Buffer => {
    digest.update(bytes);
    return bytes;
  };
  yield hashed(MARK);
  yield hashed(frame(frameKind.header, Buffer.from(JSON.stringify(header))));
  const tally = new Tally(header.columns);
  for await (const rows of portionsOf(session, header, tally)) {
    yield hashed(frame(frameKind.rows, rows));
    onRows(tally, header);
  }
  const trailer: Trailer = { ...tally.result(), digest: digest.digest('hex') };
  yield frame(frameKind.trailer, Buffer.from(JSON.stringify(trailer)));
  onEnd(trailer);
}

async function* portionsOf(session: Session, header: Header, tally: Tally): AsyncGenerator<Buffer> {
  // the primary key gives the order; a sort would write every row to a temporary file
  await session.query('SET LOCAL enable_sort = off');
  const copied = session.copyOut(
    `COPY (SELECT ${columnList(header.columns)} FROM tidegate.objects ORDER BY resource, namespace, name)
     TO STDOUT (FORMAT binary)`,
  );
  let rows: Buffer[] = [];
  let bytes = 0;
  for await (const row of rowsOfCopy(copied)) {
    tally.add(row);
    rows.push(row.bytes);
    bytes += row.bytes.length;
    if (bytes < FRAME_BYTES) continue;
    yield Buffer.concat(rows);
    rows = [];
    bytes = 0;
  }
  if (rows.length > 0) yield Buffer.concat(rows);
}
