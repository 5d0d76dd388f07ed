import { renameSync, writeFileSync } from 'node:fs';

/** Replaces a file in one step, readable by its owner only: readers see the old text or the new one, never a half. */
export function writePrivateFile(file: string, text: string): void {
  const fresh = `${file}.${process.pid}.new`;
  writeFileSync(fresh, text, { mode: 0o600 });
  renameSync(fresh, file);
}
