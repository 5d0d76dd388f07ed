import { accessSync, constants, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isErrno, UserError } from '../user-error.ts';

/** incremented when older launchers can no longer read the files of newer ones */
const FORMAT = 1;

/** The paths of one installation, below one directory. */
export interface DataDir {
  readonly path: string;
  readonly versionFile: string;
  readonly lockFile: string;
  readonly runFile: string;
  readonly kubeconfig: string;
  readonly tokens: string;
  readonly postgresPassword: string;
  readonly certs: string;
  readonly logs: string;
  readonly postgres: string;
  readonly nats: string;
}

export function dataDirAt(path: string): DataDir {
  const at = (name: string): string => join(resolve(path), name);
  return {
    path: resolve(path),
    versionFile: at('version.json'),
    lockFile: at('lock'),
    runFile: at('run.json'),
    kubeconfig: at('kubeconfig'),
    tokens: at('tokens.csv'),
    postgresPassword: at('postgres-password'),
    certs: at('certs'),
    logs: at('logs'),
    postgres: at('postgres'),
    nats: at('nats'),
  };
}

/**
 * Creates the directory, or rejects one with other files. Other users can pass through root's directory, but not list
 * it, because PostgreSQL runs as another user below it.
 */
export function prepareDataDir(dir: DataDir): void {
  try {
    mkdirSync(dir.path, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
    accessSync(dir.path, constants.W_OK | constants.X_OK);
    refuseForeignContents(dir);
    writeFileSync(dir.versionFile, `${JSON.stringify({ format: FORMAT })}\n`);
    for (const inner of [dir.certs, dir.logs]) mkdirSync(inner, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (!isErrno(error, 'EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOENT')) throw error;
    throw new UserError(
      `cannot write to the data directory ${dir.path} (${error.code}): choose another with --data-dir, or give this user the right to write there`,
      { cause: error },
    );
  }
}

function refuseForeignContents(dir: DataDir): void {
  let text: string;
  try {
    text = readFileSync(dir.versionFile, 'utf8');
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error;
    const names = readdirSync(dir.path);
    if (names.length === 0) return;
    throw new UserError(
      `${dir.path} has other files in it (${names[0]}): choose an empty or a new directory with --data-dir`,
    );
  }
  const format = formatOf(text);
  if (format === undefined)
    throw new UserError(`${dir.versionFile} cannot be read: restore it, or choose another --data-dir`);
  if (format > FORMAT) {
    throw new UserError(
      `the data directory ${dir.path} was written by a newer version (format ${format}, this one knows ${FORMAT}): update tidegate, or choose another --data-dir`,
    );
  }
}

function formatOf(text: string): number | undefined {
  try {
    const format: unknown = (JSON.parse(text) as { format?: unknown }).format;
    return typeof format === 'number' ? format : undefined;
  } catch {
    // a SyntaxError, or a TypeError because it is null: no version has written this
    return undefined;
  }
}
