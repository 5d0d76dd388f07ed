import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const directories = new Set<string>();

/**
 * Creates a directory for a test, which is removed when the process exits. Other users may pass through it, because
 * PostgreSQL runs as another user when root runs the test.
 */
export function temporaryDirectory(purpose = 'x'): string {
  const path = mkdtempSync(join(tmpdir(), `tidegate-test-${purpose}-`));
  chmodSync(path, 0o711);
  if (directories.size === 0) process.once('exit', () => directories.forEach(removeDirectory));
  directories.add(path);
  return path;
}

export function removeDirectory(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
