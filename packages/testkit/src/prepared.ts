import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDir, isErrno } from '@tidegate/local';
import { temporaryDir } from './temporary-dir.ts';
import { until } from './until.ts';

export interface Prepared {
  readonly name: string;
  /** what it depends on: with another key it is made anew, and the old one goes */
  readonly key: string;
  /** makes it, in a directory that does not exist yet */
  readonly make: (dir: string) => Promise<unknown>;
}

const NEW = 'new-';

/** Copies a directory that is made once, and kept in the project's cache for everybody who needs one like it. */
export async function copyPrepared(what: Prepared, target: string): Promise<void> {
  const kept = await prepared(what);
  mkdirSync(dirname(target), { recursive: true });
  await copy(kept, target);
}

/** Answers where it is kept, for those who only read it. */
export async function prepared({ name, key, make }: Prepared): Promise<string> {
  const kept = join(cacheDir(), 'prepared', name, key);
  if (existsSync(kept)) return kept;
  const making = beingMade.get(kept) ?? keep(kept, make).finally(() => beingMade.delete(kept));
  beingMade.set(kept, making);
  await making;
  return kept;
}

const beingMade = new Map<string, Promise<void>>();

/** Longer than making anything takes on a slow machine. */
const PATIENCE_MS = 120_000;

/** One process makes it, and others that want it meanwhile wait for that one; where it ends before, another one does. */
async function keep(kept: string, make: Prepared['make']): Promise<void> {
  mkdirSync(dirname(kept), { recursive: true });
  const lock = `${kept}.pid`;
  while (!existsSync(kept)) {
    if (locks(lock)) return makeAndKeep(kept, make).finally(() => removeAll(lock));
    const isOver = () => existsSync(kept) || !isHeld(lock);
    await until(`${kept}, which another process makes,`, isOver, PATIENCE_MS);
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

/** The lock of a process that is gone is taken away. Should two do so at once, both make the same. */
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

/** It appears whole or not at all. */
async function makeAndKeep(kept: string, make: Prepared['make']): Promise<void> {
  const place = dirname(kept);
  const fresh = join(place, `${NEW}${process.pid}`);
  // PostgreSQL's user reaches what is made there, which need not be so in the cache
  const workshop = temporaryDir('prepared');
  try {
    await make(join(workshop.path, 'made'));
    await copy(join(workshop.path, 'made'), fresh);
    renameSync(fresh, kept);
    for (const name of readdirSync(place)) if (!name.startsWith(basename(kept))) removeAll(join(place, name));
  } catch (error) {
    if (!isErrno(error, 'EEXIST', 'ENOTEMPTY')) throw error;
  } finally {
    removeAll(fresh);
    workshop.remove();
  }
}

function removeAll(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

async function copy(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', from, to]);
}
