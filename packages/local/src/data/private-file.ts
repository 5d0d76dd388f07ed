import { renameSync, writeFileSync } from 'node:fs';

/** Replaces a file atomically; only its owner can read it. Readers see the old text or the new text. */
export function writePrivateFile(file: string, text: string): void {
  const fresh = `${file}.${process.pid}.new`;
  writeFileSync(fresh, text, { mode: 0o600 });
  renameSync(fresh, file);
}
