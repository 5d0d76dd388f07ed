import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDir, isErrno } from '@tidegate/local';
import { temporaryDir } from './temporary-dir.ts';
import { until } from './until.ts';

export interface Prepared {
  readonly name: string;
  /** identifies the inputs: for another key the directory is created again, and the old one is removed */
  readonly key: string;
  /** creates the contents in a directory that does not exist yet */
  readonly make: (dir: string) => Promise<unknown>;
}

const NEW = 'new-';

/** Copies a directory that is created once and kept in the project's cache. */
export async function copyPrepared(what: Prepared, target: string): Promise<void> {
  const kept = await prepared(what);
  mkdirSync(dirname(target), { recursive: true });
  await copy(kept, target);
}

/** Returns the path in the cache, for callers that only read it. */
export async function prepared({ name, key, make }: Prepared): Promise<string> {
  const kept = join(cacheDir(), 'prepared', name, key);
  if (existsSync(kept)) return kept;
  const making = beingMade.get(kept) ?? keep(kept, make).finally(() => beingMade.delete(kept));
  beingMade.set(kept, making);
  await making;
  return kept;
}

const beingMade = new Map<string, Promise<void>>();

/** Longer than any preparation takes on a slow machine. */
const LOCK_TIMEOUT_MS = 120_000;

/** One process creates the directory while others wait. If it ends early, another process takes over. */
async function keep(kept: string, make: Prepared['make']): Promise<void> {
  mkdirSync(dirname(kept), { recursive: true });
  const lock = `${kept}.pid`;
  while (!existsSync(kept)) {
    if (locks(lock)) return makeAndKeep(kept, make).finally(() => removeAll(lock));
    const isOver = () => existsSync(kept) || !isHeld(lock);
    await until(`${kept}, which another process makes,`, isOver, LOCK_TIMEOUT_MS);
  }
}

function locks(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
    return false;
  }
}

/** Removes the lock of a process that has ended. If two processes do so at once, both create the same contents. */
function isHeld(lock: string): boolean {
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0);
    return true;
  } catch (error) {
    if (isErrno(error, 'EPERM')) return true;
    if (!isErrno(error, 'ESRCH', 'ENOENT')) throw error;
    removeAll(lock);
    return false;
  }
}

/** Creates the directory elsewhere and renames it, so that it is never incomplete. */
async function makeAndKeep(kept: string, make: Prepared['make']): Promise<void> {
  const place = dirname(kept);
  const fresh = join(place, `${NEW}${process.pid}`);
  // PostgreSQL's user can access this directory, but perhaps not the cache
  const work = temporaryDir('prepared');
  try {
    await make(join(work.path, 'made'));
    await copy(join(work.path, 'made'), fresh);
    renameSync(fresh, kept);
    for (const name of readdirSync(place)) if (!name.startsWith(basename(kept))) removeAll(join(place, name));
  } catch (error) {
    if (!isErrno(error, 'EEXIST', 'ENOTEMPTY')) throw error;
  } finally {
    removeAll(fresh);
    work.remove();
  }
}

function removeAll(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

async function copy(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', from, to]);
}
