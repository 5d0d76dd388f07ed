import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The lines of a file beside this one: a name each. */
export function readList(file: string): string[] {
  return readFileSync(join(import.meta.dirname, file), 'utf8')
    .split('\n')
    .filter(Boolean);
}
