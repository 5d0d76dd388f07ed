import { closeSync, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs';

const ROTATE_AT_BYTES = 16 << 20;
const TAIL_BYTES = 16 << 10;

/** A log that a process appends to itself, so that it goes on when the launcher is gone. */
export interface LogFile {
  readonly path: string;
  readonly fd: number;
  /** where this process's lines begin */
  readonly from: number;
}

/** The log of the run before is kept once it has grown large; older ones are not. */
export function openLogFile(path: string): LogFile {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > ROTATE_AT_BYTES) renameSync(path, `${path}.1`);
  const fd = openSync(path, 'a', 0o600);
  return { path, fd, from: fstatSync(fd).size };
}

/** What a process said last about its end; empty when it said nothing. */
export function lastWords(path: string, from = 0): string {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch {
    // an error of the file system: there is no log
    return '';
  }
  try {
    const size = fstatSync(fd).size;
    const start = Math.max(from, size - TAIL_BYTES);
    const buffer = Buffer.alloc(Math.max(0, size - start));
    readSync(fd, buffer, 0, buffer.length, start);
    return tellingLine(buffer.toString('utf8').split('\n'));
  } finally {
    closeSync(fd);
  }
}

/**
 * Parts write their reason as a plain line between lines of JSON; a crash of Node ends with a stack, whose telling line
 * is the one that names the error.
 */
export function tellingLine(lines: readonly string[]): string {
  const plain = lines.filter(
    (line) => line.trim() !== '' && !line.startsWith('{') && !/^\s+at |^Node\.js v/.test(line),
  );
  const thrown = plain.findLast((line) => /^(Uncaught )?[A-Za-z]*Error\b.*:/.test(line));
  const serious = plain.findLast((line) => /\b(FATAL|PANIC|ERR)\b|\[(FTL|ERR)\]/.test(line));
  return (thrown ?? serious ?? plain.at(-1) ?? '').trim();
}
