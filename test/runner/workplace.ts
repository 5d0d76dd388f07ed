import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isErrno } from '@tidegate/local';

const IN_MEMORY = '/dev/shm';
/** enough for the data directories of several systems at a time */
const ENOUGH_BYTES = 3 * 2 ** 30;

export interface Workplace {
  readonly path: string;
  remove(): void;
}

/**
 * Creates the directory for the temporary files of a run, in memory if there is room. Writing and deleting the data
 * directories of a hundred servers on a disk would take longer than most of the tests.
 */
export function makeWorkplace(): Workplace {
  const path = mkdtempSync(join(hasRoomInMemory() ? IN_MEMORY : tmpdir(), 'tidegate-run-'));
  // PostgreSQL runs as another user if root starts the tests
  chmodSync(path, 0o711);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

function hasRoomInMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= ENOUGH_BYTES && canRunPrograms(IN_MEMORY);
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'EACCES')) return false;
    throw error;
  }
}

/** Some tests build and run programs, but the file system may be mounted with noexec. */
function canRunPrograms(place: string): boolean {
  const dir = mkdtempSync(join(place, 'tidegate-try-'));
  const program = join(dir, 'try');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
  const { status } = spawnSync(program);
  rmSync(dir, { recursive: true });
  return status === 0;
}
