import { closeSync, createWriteStream, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { BackupError } from './backup-error.ts';

interface Output {
  readonly stream: Writable & { readonly bytesWritten: number };
  /** gives the complete file its name */
  keep(): void;
  discard(): void;
}

/**
 * Opens the output of a backup. A file gets its name only when it is complete and on the disk. Only its owner can read
 * it, because it contains all objects.
 */
export function openOutput(out: string): Output {
  if (out === '-') {
    if (process.stdout.isTTY)
      throw new BackupError('a backup is binary and cannot be written to a terminal: give --out FILE, or use a pipe');
    // a stream of the file descriptor would give up when a pipe that does not block stays full
    const stream =
      process.stdout instanceof Socket ? process.stdout : createWriteStream('', { fd: 1, autoClose: false });
    return { stream, keep() {}, discard() {} };
  }
  if (existsSync(out)) throw new BackupError(`${out} exists already: give another name with --out, or remove it`);
  const partial = `${out}.partial`;
  rmSync(partial, { force: true });
  const fd = openSync(partial, 'wx', 0o600);
  const discard = (): void => rmSync(partial, { force: true });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      discard();
      process.exit(130);
    });
  }
  return {
    stream: createWriteStream('', { fd, autoClose: false }),
    keep() {
      fsyncSync(fd);
      closeSync(fd);
      renameSync(partial, out);
    },
    discard,
  };
}
