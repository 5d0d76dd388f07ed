import {
  closeSync,
  createWriteStream,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  type WriteStream,
} from 'node:fs';
import { Refusal } from './refusal.ts';

interface Output {
  readonly stream: WriteStream;
  /** it is whole: now it has its name */
  keep(): void;
  discard(): void;
}

/**
 * Where a backup is written. A file appears under its name when it is whole and on the disk, and not before; only its
 * owner may read it, because it holds what the database holds.
 */
export function openOutput(out: string): Output {
  if (out === '-') {
    if (process.stdout.isTTY)
      throw new Refusal('a backup is no text for a terminal: give --out FILE, or send it on with a pipe');
    return { stream: createWriteStream('', { fd: 1, autoClose: false }), keep() {}, discard() {} };
  }
  if (existsSync(out)) throw new Refusal(`${out} exists already: give another name with --out, or remove it`);
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
