import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The clone this launcher belongs to, wherever it was called from. */
export const projectRoot = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');

export const defaultDataDir = join(projectRoot, '.tidegate');

/** Where the project keeps programs it fetched: never in the system. */
export function cacheDir(env: NodeJS.ProcessEnv = process.env): string {
  return env.TIDEGATE_CACHE_DIR ?? join(projectRoot, '.cache');
}

export function projectVersion(): string {
  const manifest = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string };
  return manifest.version;
}
