import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The kernel's limit for the path of a socket is a little over a hundred bytes; a data directory may lie deep. */
const LONGEST_DIR = 80;

/** A directory that nobody else can enter: who is in it may talk to the parts. */
export function makePartsDir(): string {
  const base = tmpdir().length + '/tidegate-parts-XXXXXX'.length > LONGEST_DIR ? '/tmp' : tmpdir();
  return mkdtempSync(join(base, 'tidegate-parts-'));
}

export function removeSocketDir(dir: string): void {
  rmSync(dir, { recursive: true, force: true });
}
