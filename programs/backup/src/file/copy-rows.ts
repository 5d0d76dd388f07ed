import { BackupError } from './backup-error.ts';

/**
 * PostgreSQL's binary COPY: a heading, rows, and an end. A row is the number of its columns, then for each column its
 * length (-1 is null) and its bytes:
 *
 *   0002  00000003 "abc"  ffffffff      a row with two columns, the second null
 */
const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
const HEADING = SIGNATURE.length + 8;

/** The heading without flags or extension and the end, which COPY FROM needs around the rows. */
export const copyHeading: Buffer = Buffer.concat([SIGNATURE, Buffer.alloc(8)]);
export const copyEnd: Buffer = Buffer.from([0xff, 0xff]);

export interface CopyRow {
  readonly bytes: Buffer;
  /** undefined is null */
  readonly columns: ReadonlyArray<Buffer | undefined>;
}

/** Reads rows from the chunks of a COPY TO, which may end anywhere. Ends at the end mark. */
export async function* rowsOfCopy(chunks: AsyncIterable<Buffer>): AsyncGenerator<CopyRow> {
  let pending: Buffer = Buffer.alloc(0);
  let begun = false;
  let ended = false;
  for await (const chunk of chunks) {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    if (!begun) {
      if (pending.length < HEADING) continue;
      if (!pending.subarray(0, SIGNATURE.length).equals(SIGNATURE))
        throw new Error('the output of COPY has an unknown format');
      pending = pending.subarray(HEADING + pending.readUInt32BE(SIGNATURE.length + 4));
      begun = true;
    }
    let at = 0;
    while (!ended && at + 2 <= pending.length) {
      if (pending.readInt16BE(at) === -1) {
        ended = true;
        break;
      }
      const row = rowAt(pending, at);
      if (row === undefined) break;
      yield row;
      at += row.bytes.length;
    }
    pending = pending.subarray(at);
  }
  if (!ended) throw new Error('COPY ended in the middle of a row');
}

/** Reads the rows of a frame. */
export function* rowsOfFrame(body: Buffer): Generator<CopyRow> {
  for (let at = 0; at < body.length; ) {
    const row = at + 2 <= body.length ? rowAt(body, at) : undefined;
    if (row === undefined) throw new BackupError('it is damaged: a row is incomplete');
    yield row;
    at += row.bytes.length;
  }
}

/** undefined where the bytes end before the row does */
function rowAt(bytes: Buffer, from: number): CopyRow | undefined {
  const count = bytes.readInt16BE(from);
  if (count < 0) throw new BackupError('it is damaged: a row has no columns');
  const columns: Array<Buffer | undefined> = [];
  let at = from + 2;
  for (let i = 0; i < count; i++) {
    if (at + 4 > bytes.length) return undefined;
    const length = bytes.readInt32BE(at);
    at += 4;
    if (length === -1) {
      columns.push(undefined);
      continue;
    }
    if (length < 0) throw new BackupError('it is damaged: a column has a negative length');
    if (at + length > bytes.length) return undefined;
    columns.push(bytes.subarray(at, at + length));
    at += length;
  }
  return { bytes: bytes.subarray(from, at), columns };
}
