import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const places = new Set<string>();

/**
 * For tests: a fresh directory that is gone when the process is. Others may pass through it: PostgreSQL runs as another
 * user when the test is root's.
 */
export function temporaryPlace(purpose = 'x'): string {
  const path = mkdtempSync(join(tmpdir(), `tidegate-test-${purpose}-`));
  chmodSync(path, 0o711);
  if (places.size === 0) process.once('exit', () => places.forEach(removePlace));
  places.add(path);
  return path;
}

export function removePlace(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
