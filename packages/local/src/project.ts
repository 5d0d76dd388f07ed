import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the checkout, whatever the working directory is. */
export const projectRoot = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');

declare global {
  /** the directory of the bundled programs; undefined where the sources run */
  var tidegatePrograms: string | undefined;
}

/** The names of the services. */
export const PARTS = ['gateway', 'health', 'watch', 'store'] as const;
export type Part = (typeof PARTS)[number];

/** The main files of the programs. */
export const PROGRAM_SOURCES = {
  tidegate: 'programs/tidegate/src/main.ts',
  gateway: 'services/gateway/src/main.ts',
  store: 'services/store/src/main.ts',
  watch: 'services/watch/src/main.ts',
  health: 'services/health/src/main.ts',
  backup: 'programs/backup/src/main.ts',
} as const;

/** The file of another program: a bundle where this program is a bundle, else its source. */
export function programFile(name: keyof typeof PROGRAM_SOURCES): string {
  const directory = globalThis.tidegatePrograms;
  return directory === undefined ? join(projectRoot, PROGRAM_SOURCES[name]) : join(directory, `${name}.mjs`);
}

export const defaultDataDir = join(projectRoot, '.tidegate');

/** The directory for downloaded programs; nothing is installed in the system. */
export function cacheDir(env: NodeJS.ProcessEnv = process.env): string {
  return env.TIDEGATE_CACHE_DIR ?? join(projectRoot, '.cache');
}

export function projectVersion(): string {
  const manifest = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string };
  return manifest.version;
}
