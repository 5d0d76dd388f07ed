import { BackupError } from './backup-error.ts';

/** incremented when older releases can no longer read the files of newer ones */
export const FORMAT = 1;

export interface Column {
  readonly name: string;
  /** PostgreSQL's name of the type */
  readonly type: string;
}

/** The first frame of a backup. */
export interface Header {
  readonly format: number;
  /** the release that wrote the backup */
  readonly version: string;
  /** the number of migrations of the database */
  readonly schemaVersion: number;
  readonly takenAt: string;
  /** the revision of the backup */
  readonly revision: number;
  readonly epoch: number;
  readonly objects: number;
  /** the columns of tidegate.objects, in the order of the rows */
  readonly columns: readonly Column[];
}

/** The last frame of a backup. */
export interface Trailer {
  readonly objects: number;
  /** the bytes of all values, before compression */
  readonly bytes: number;
  readonly resources: Readonly<Record<string, number>>;
  /** objects whose value did not match its checksum in the database */
  readonly corruptCount: number;
  /** the paths of the first of them */
  readonly corrupt: readonly string[];
  /** SHA-256 of every byte before the trailer */
  readonly digest: string;
}

export function parseHeader(body: Buffer): Header {
  const header = parseObject(body) as Partial<Header>;
  if (typeof header.format !== 'number') throw new BackupError('it is damaged: its header cannot be read');
  if (header.format > FORMAT) {
    throw new BackupError(
      `it has format ${header.format}, written by tidegate ${header.version}, and this release supports only ${FORMAT}: use that release or a newer one`,
    );
  }
  const { revision, epoch, schemaVersion, columns } = header;
  if (!isCount(revision) || !isCount(epoch) || !isCount(schemaVersion) || !Array.isArray(columns)) {
    throw new BackupError('it is damaged: its header is incomplete');
  }
  return header as Header;
}

export function parseTrailer(body: Buffer): Trailer {
  const trailer = parseObject(body) as Partial<Trailer>;
  if (!isCount(trailer.objects) || typeof trailer.digest !== 'string' || typeof trailer.resources !== 'object') {
    throw new BackupError('it is damaged: its trailer is incomplete');
  }
  return trailer as Trailer;
}

function parseObject(body: Buffer): object {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value === 'object' && value !== null) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new BackupError('it is damaged: its header or trailer is not JSON');
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
