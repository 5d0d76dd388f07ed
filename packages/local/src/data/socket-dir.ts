import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** the longest path of a socket on Linux, 107, less the longest name in such a directory, which is PostgreSQL's */
const LONGEST_SOCKET_DIR = 107 - '/.s.PGSQL.65535.lock'.length;
/** the length of mkdtemp's suffix */
const RANDOM_LENGTH = 6;

/**
 * Creates a private directory with a short path, because the length of a socket's path is limited, and a data directory
 * may have a long path. It is in a directory for temporary files that the server's user can reach.
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
