import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isErrno } from '../user-error.ts';
import { isRunning, ownIdentity, type ProcessIdentity } from './process-identity.ts';

export type LockOutcome =
  | { readonly kind: 'taken'; readonly leftBehind: boolean; release(): void }
  | { readonly kind: 'held'; readonly by: ProcessIdentity };

/**
 * Takes a lock that at most one process may hold, such as that of a data directory. The file names its holder; a holder
 * that no longer runs does not count.
 */
export function takeLock(file: string, self: ProcessIdentity = ownIdentity()): LockOutcome {
  for (let leftBehind = false; ; leftBehind = true) {
    try {
      writeFileSync(file, JSON.stringify(self), { flag: 'wx', mode: 0o600 });
      return { kind: 'taken', leftBehind, release: () => release(file, self) };
    } catch (error) {
      if (!isErrno(error, 'EEXIST')) throw error;
    }
    const holder = lockHolder(file);
    if (holder !== undefined) return { kind: 'held', by: holder };
    setAside(file);
  }
}

/** Removes the lock, unless another start has replaced it after the directory was deleted. */
function release(file: string, self: ProcessIdentity): void {
  const holder = readIdentity(file);
  if (holder?.pid === self.pid && holder.began === self.began) rmSync(file, { force: true });
}

/** The holder of the lock; undefined where no running process holds it. */
export function lockHolder(file: string): ProcessIdentity | undefined {
  const identity = readIdentity(file);
  return identity !== undefined && isRunning(identity) ? identity : undefined;
}

/** Removes the lock of a dead holder. Two starts may do this at once: a start that removed a new lock restores it. */
function setAside(file: string): void {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
    if (lockHolder(aside) !== undefined) linkSync(aside, file);
  } catch (error) {
    if (!isErrno(error, 'ENOENT', 'EEXIST')) throw error;
  }
  rmSync(aside, { force: true });
}

function readIdentity(file: string): ProcessIdentity | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const { pid, began } = (value ?? {}) as Partial<ProcessIdentity>;
    return typeof pid === 'number' && typeof began === 'string' ? { pid, began } : undefined;
  } catch (error) {
    if (isErrno(error, 'ENOENT') || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
