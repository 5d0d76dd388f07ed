import { Refusal } from './refusal.ts';

/** Raised when an older release could no longer read what a newer one writes. */
export const FORMAT = 1;

export interface Column {
  readonly name: string;
  /** as PostgreSQL names it */
  readonly type: string;
}

/** What a backup says before its rows. */
export interface Header {
  readonly format: number;
  /** the release that wrote it */
  readonly version: string;
  /** how many migrations the database had */
  readonly schemaVersion: number;
  readonly takenAt: string;
  /** the rows are all objects as of this revision */
  readonly revision: number;
  readonly epoch: number;
  readonly objects: number;
  /** of tidegate.objects, in the order in which a row has them */
  readonly columns: readonly Column[];
}

/** What a backup says after its rows. */
export interface Trailer {
  readonly objects: number;
  /** of values, before compression */
  readonly bytes: number;
  readonly resources: Readonly<Record<string, number>>;
  /** objects whose value did not fit its checksum in the database already */
  readonly corruptCount: number;
  /** the first of them, by path */
  readonly corrupt: readonly string[];
  /** SHA-256 of every byte before the trailer */
  readonly digest: string;
}

export function parseHeader(body: Buffer): Header {
  const header = parseObject(body) as Partial<Header>;
  if (typeof header.format !== 'number') throw new Refusal('it is damaged: its header cannot be read');
  if (header.format > FORMAT) {
    throw new Refusal(
      `it has format ${header.format}, written by tidegate ${header.version}, and this release knows ${FORMAT}: use that release or a newer one`,
    );
  }
  const { revision, epoch, schemaVersion, columns } = header;
  if (!isCount(revision) || !isCount(epoch) || !isCount(schemaVersion) || !Array.isArray(columns)) {
    throw new Refusal('it is damaged: its header is not whole');
  }
  return header as Header;
}

export function parseTrailer(body: Buffer): Trailer {
  const trailer = parseObject(body) as Partial<Trailer>;
  if (!isCount(trailer.objects) || typeof trailer.digest !== 'string' || typeof trailer.resources !== 'object') {
    throw new Refusal('it is damaged: its trailer is not whole');
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
  throw new Refusal('it is damaged: what should be JSON is not');
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
