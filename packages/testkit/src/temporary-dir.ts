import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory of the test's own. Others may pass through it: PostgreSQL runs as another user when the test is root's. */
export function temporaryDir(purpose: string): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), `tidegate-test-${purpose}-`));
  chmodSync(path, 0o711);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
