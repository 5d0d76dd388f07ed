import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The longest path that a socket may have on Linux, 107, less the longest name in such a directory: PostgreSQL's. */
const LONGEST_SOCKET_DIR = 107 - '/.s.PGSQL.65535.lock'.length;
/** what mkdtemp adds */
const RANDOM_LENGTH = 6;

/**
 * Short and private: a socket's path is limited while a data directory may lie deep, and nobody else may knock. It is
 * made in a place for temporary files that its user can reach.
 */
export function makeSocketDir(prefix: string, isUsable: (base: string) => boolean): string {
  for (const base of new Set([tmpdir(), '/tmp'])) {
    const start = join(base, prefix);
    if (start.length + RANDOM_LENGTH <= LONGEST_SOCKET_DIR && isUsable(base)) return mkdtempSync(start);
  }
  throw new Error('no directory for temporary files can hold a socket');
}

export function removeSocketDir(dir: string): void {
  rmSync(dir, { recursive: true, force: true });
}
