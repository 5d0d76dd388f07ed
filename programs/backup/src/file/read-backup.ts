import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { createZstdDecompress } from 'node:zlib';
import { BackupError } from './backup-error.ts';
import { rowsOfFrame } from './copy-rows.ts';
import { frameKind, framesOf, MARK } from './frames.ts';
import { type Header, parseHeader, parseTrailer, type Trailer } from './header.ts';
import { Tally } from './tally.ts';

/** large chunks, because each one is a task of another thread */
const CHUNK_BYTES = 256 << 10;

export type BackupPart =
  | { readonly kind: 'header'; readonly header: Header }
  | { readonly kind: 'rows'; readonly bytes: Buffer; readonly tally: Tally }
  | { readonly kind: 'trailer'; readonly trailer: Trailer };

/**
 * Reads a backup: the header, the rows, the trailer. Promise: the trailer is returned only when every byte before it is
 * unchanged and nothing follows it. Otherwise the read fails, at the latest at the end of the file.
 */
export async function* readBackup(file: string): AsyncGenerator<BackupPart> {
  try {
    yield* partsOf(decompressed(file));
  } catch (error) {
    if (error instanceof BackupError) throw new BackupError(`${file} is rejected: ${error.message}`, { cause: error });
    if (error instanceof Error && 'code' in error) throw new BackupError(`${file}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Verifies a backup by reading all of it. */
export async function verifyBackup(
  file: string,
  onRows: (tally: Tally, header: Header) => void = () => {},
): Promise<{ header: Header; trailer: Trailer }> {
  let header: Header | undefined;
  let trailer: Trailer | undefined;
  for await (const part of readBackup(file)) {
    if (part.kind === 'header') header = part.header;
    else if (part.kind === 'trailer') trailer = part.trailer;
    else onRows(part.tally, header as Header);
  }
  return { header: header as Header, trailer: trailer as Trailer };
}

async function* partsOf(source: AsyncIterable<Buffer>): AsyncGenerator<BackupPart> {
  const digest = createHash('sha256').update(MARK);
  let tally: Tally | undefined;
  let trailer: Trailer | undefined;
  for await (const { kind, body, bytes } of framesOf(source)) {
    if (trailer !== undefined) throw new BackupError('it is damaged: there is data after its end');
    if ((tally === undefined) !== (kind === frameKind.header))
      throw new BackupError('it is damaged: its frames are out of order');
    if (kind === frameKind.trailer) {
      trailer = parseTrailer(body);
      checkTrailer(trailer, tally as Tally, digest.digest('hex'));
      continue;
    }
    digest.update(bytes);
    if (kind === frameKind.header) {
      const header = parseHeader(body);
      tally = new Tally(header.columns);
      yield { kind: 'header', header };
      continue;
    }
    for (const row of rowsOfFrame(body)) (tally as Tally).add(row);
    yield { kind: 'rows', bytes: body, tally: tally as Tally };
  }
  if (trailer === undefined) throw new BackupError('it is truncated');
  yield { kind: 'trailer', trailer };
}

function checkTrailer(trailer: Trailer, tally: Tally, digest: string): void {
  if (trailer.digest !== digest) throw new BackupError('it is damaged: its content does not match its digest');
  const { digest: _, ...reported } = trailer;
  if (!isDeepStrictEqual(reported, tally.result()))
    throw new BackupError('it is damaged: its objects do not match its trailer');
}

async function* decompressed(file: string): AsyncGenerator<Buffer> {
  const source = createReadStream(file, { highWaterMark: CHUNK_BYTES });
  const plain = createZstdDecompress({ chunkSize: CHUNK_BYTES });
  source.on('error', (error) => plain.destroy(error));
  source.pipe(plain);
  try {
    for await (const chunk of plain) yield chunk as Buffer;
    // zlib ignores bytes after the compressed stream
    if (plain.bytesWritten < statSync(file).size) throw new BackupError('it is damaged: there is data after its end');
  } catch (error) {
    const code = String((error as NodeJS.ErrnoException).code);
    if (code === 'ZSTD_error_prefix_unknown') throw new BackupError('it is not a backup of tidegate', { cause: error });
    if (code === 'Z_BUF_ERROR') throw new BackupError('it is truncated', { cause: error });
    if (code.startsWith('Z')) throw new BackupError(`it is damaged (${(error as Error).message})`, { cause: error });
    throw error;
  } finally {
    source.destroy();
    plain.destroy();
  }
}
