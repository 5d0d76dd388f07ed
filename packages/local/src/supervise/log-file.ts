import { closeSync, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs';

const ROTATE_AT_BYTES = 16 << 20;
const TAIL_BYTES = 16 << 10;

/** A log file to which a process writes directly, so that it also gets lines after the launcher has ended. */
export interface LogFile {
  readonly path: string;
  readonly fd: number;
  /** the position of this process's first line */
  readonly from: number;
}

/** Opens a log file. A large file is renamed first, and replaces an older renamed one. */
export function openLogFile(path: string): LogFile {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > ROTATE_AT_BYTES) renameSync(path, `${path}.1`);
  const fd = openSync(path, 'a', 0o600);
  return { path, fd, from: fstatSync(fd).size };
}

/** The last message of a process about its end; '' where it wrote none. */
export function lastMessage(path: string, from = 0): string {
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
    return reasonLine(buffer.toString('utf8').split('\n'));
  } finally {
    closeSync(fd);
  }
}

/**
 * The line that gives the reason: parts write it as a plain line between lines of JSON; in the stack of a crash of Node
 * it is the line with the error.
 */
export function reasonLine(lines: readonly string[]): string {
  const plain = lines.filter(
    (line) => line.trim() !== '' && !line.startsWith('{') && !/^\s+at |^Node\.js v/.test(line),
  );
  const thrown = plain.findLast((line) => /^(Uncaught )?[A-Za-z]*Error\b.*:/.test(line));
  const serious = plain.findLast((line) => /\b(FATAL|PANIC|ERR)\b|\[(FTL|ERR)\]/.test(line));
  return (thrown ?? serious ?? plain.at(-1) ?? '').trim();
}
