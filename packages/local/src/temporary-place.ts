import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** For tests: a fresh directory that is gone when the process is. */
export function temporaryPlace(): string {
  const path = mkdtempSync(join(tmpdir(), 'tidegate-test-'));
  process.once('exit', () => rmSync(path, { recursive: true, force: true }));
  return path;
}
