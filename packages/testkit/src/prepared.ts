import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDir, isErrno } from '@tidegate/local';
import { temporaryDir } from './temporary-dir.ts';

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

/** It appears whole or not at all; two who make it at the same time keep one of the two. */
async function keep(kept: string, make: Prepared['make']): Promise<void> {
  const place = dirname(kept);
  const fresh = join(place, `${NEW}${process.pid}`);
  // PostgreSQL's user reaches what is made there, which need not be so in the cache
  const workshop = temporaryDir('prepared');
  mkdirSync(place, { recursive: true });
  try {
    await make(join(workshop.path, 'made'));
    await copy(join(workshop.path, 'made'), fresh);
    renameSync(fresh, kept);
    for (const name of readdirSync(place))
      if (name !== basename(kept) && !name.startsWith(NEW)) removeAll(join(place, name));
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
