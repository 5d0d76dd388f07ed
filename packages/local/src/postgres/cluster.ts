import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { UserError } from '../user-error.ts';
import type { PostgresBinaries } from './binaries.ts';
import { commandAs, giveTo, type RunAs } from './run-as.ts';

export const POSTGRES_USER = 'tidegate';

interface ClusterOptions {
  readonly dir: string;
  readonly binaries: PostgresBinaries;
  readonly runAs: RunAs;
  readonly password: string;
  /** false only for data that is discarded */
  readonly sync?: boolean;
}

/** Creates PostgreSQL's data directory if it is missing. An interrupted start leaves a complete directory or none. */
export async function ensureCluster(options: ClusterOptions): Promise<void> {
  const { dir, binaries, runAs } = options;
  const versionFile = join(dir, 'PG_VERSION');
  if (existsSync(versionFile)) {
    const made = readFileSync(versionFile, 'utf8').trim();
    const major = binaries.version.split('.')[0];
    if (made !== major) {
      throw new UserError(
        `the data in ${dir} is PostgreSQL ${made}'s, and this version brings ${major}: use the tidegate that made it, or carry the data over with pg_dumpall`,
      );
    }
    giveTo(runAs, dir);
    return;
  }
  const fresh = `${dir}.new`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { mode: 0o700 });
  // initdb needs an empty directory, so the password file is beside it
  const waiting = `${dir}.password`;
  rmSync(waiting, { recursive: true, force: true });
  mkdirSync(waiting, { mode: 0o700 });
  writeFileSync(join(waiting, 'password'), `${options.password}\n`, { mode: 0o600 });
  giveTo(runAs, fresh);
  giveTo(runAs, waiting);
  try {
    await initdb(options, fresh, join(waiting, 'password'));
    renameSync(fresh, dir);
  } finally {
    rmSync(waiting, { recursive: true, force: true });
  }
}

async function initdb(options: ClusterOptions, dir: string, passwordFile: string): Promise<void> {
  const { binaries, runAs, sync = true } = options;
  const args = [`--pgdata=${dir}`, '--encoding=UTF8', '--locale=C', '--auth=scram-sha-256', '--no-instructions'];
  args.push(`--username=${POSTGRES_USER}`, `--pwfile=${passwordFile}`, ...(sync ? [] : ['--no-sync']));
  const { command, args: all, uid, gid } = commandAs(runAs, binaries.initdb, args);
  try {
    await promisify(execFile)(command, all, {
      cwd: '/',
      env: serverEnvironment(),
      ...(uid === undefined ? {} : { uid, gid }),
    });
  } catch (error) {
    const text = String((error as { stderr?: string }).stderr ?? error).trim();
    const line = text.split('\n').findLast((line) => /error|cannot|could not/i.test(line)) ?? text;
    throw new UserError(`PostgreSQL could not make its data directory below ${dirname(dir)}: ${line}`, {
      cause: error,
    });
  }
}

/** The environment without PG… and locale variables of the user, which PostgreSQL would take as settings. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
}
