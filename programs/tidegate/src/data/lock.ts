import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isErrno, isRunning, ownIdentity, type ProcessIdentity } from '@tidegate/local';

export type LockOutcome =
  | { readonly kind: 'taken'; readonly leftBehind: boolean; release(): void }
  | { readonly kind: 'held'; readonly by: ProcessIdentity };

/**
 * At most one launcher works on a data directory. The file names its holder; a holder that no longer lives
 * (killed, or the machine went down) holds nothing.
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

/** A lock that is no longer ours (somebody removed the directory under us, and another start made it anew) stays. */
function release(file: string, self: ProcessIdentity): void {
  const holder = readIdentity(file);
  if (holder?.pid === self.pid && holder.began === self.began) rmSync(file, { force: true });
}

/** Who holds the lock; undefined when nobody who lives does. */
export function lockHolder(file: string): ProcessIdentity | undefined {
  const identity = readIdentity(file);
  return identity !== undefined && isRunning(identity) ? identity : undefined;
}

/** Two starts may find the same dead holder: the one that moved a fresh lock away by mistake puts it back. */
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
