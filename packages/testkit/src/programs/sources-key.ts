import { createHash } from 'node:crypto';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@tidegate/local';

const SOURCES = ['{packages,programs,services}/*/src/**/*', 'package-lock.json'];

let known: string | undefined;

/** A hash that changes when a source file, a dependency or the version of Node changes. */
export function sourcesKey(): string {
  known ??= readKey();
  return known;
}

function readKey(): string {
  const hash = createHash('sha256').update(process.version);
  for (const path of globSync(SOURCES, { cwd: projectRoot }).sort()) {
    const { size, mtimeMs } = statSync(join(projectRoot, path));
    if (!path.endsWith('.test.ts')) hash.update(`${path} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}
