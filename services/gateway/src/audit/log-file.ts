import {
  close,
  createReadStream,
  createWriteStream,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  renameSync,
  statSync,
  unlinkSync,
  write,
} from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip } from 'node:zlib';
import type { Fault } from '@tidegate/service-kit';

export interface LogFileOptions {
  /** `-`: standard output */
  readonly path: string;
  /** the size at which the file is rotated */
  readonly maxBytes: number;
  /** the number of rotated files to keep; 0: all */
  readonly maxBackups: number;
  /** the age up to which they are kept; 0: no limit */
  readonly maxDays: number;
  readonly compresses: boolean;
  /** gets failures to compress or remove rotated files */
  readonly tidying: Pick<Fault, 'track' | 'failed'>;
}

const STANDARD_OUTPUT = 1;
const DAY_MS = 24 * 60 * 60 * 1000;
/** how often to check whether another process has moved the file */
const CHECK_MS = 1000;
const NEWLINE = Buffer.from('\n');
const writeAsync = promisify(write);

/** Lines that are written in one call. */
interface Batch extends PromiseWithResolvers<void> {
  readonly lines: string[];
}

/**
 * A log file with rotation. Several processes may share it: each line is appended whole.
 *
 * Invariant: lines are written in order, one write at a time, and each line's promise settles with its write.
 */
export class LogFile {
  readonly #options: LogFileOptions;
  #fd: number;
  #inode = 0;
  #bytes = 0;
  #checkedAt = performance.now();
  #next: Batch | undefined;
  #pendingBytes = 0;
  #writing: Promise<void> | undefined;
  /** the last line was written only in part */
  #isTorn = false;

  constructor(options: LogFileOptions) {
    this.#options = options;
    this.#fd = this.#open();
  }

  /** the size of lines that are not written yet */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** Resolves when the line is written, and rejects when the write fails. */
  append(line: string): Promise<void> {
    this.#next ??= { lines: [], ...Promise.withResolvers<void>() };
    const { lines, promise } = this.#next;
    lines.push(line);
    this.#pendingBytes += line.length;
    this.#writing ??= this.#writeAll();
    return promise;
  }

  /** Resolves when all appended lines are written. */
  async close(): Promise<void> {
    await this.#writing;
    if (this.#fd !== STANDARD_OUTPUT) close(this.#fd);
  }

  /** Lines that are appended during a write are joined into the next one. */
  async #writeAll(): Promise<void> {
    await new Promise(setImmediate);
    for (let batch = this.#next; batch !== undefined; batch = this.#next) {
      this.#next = undefined;
      const text = batch.lines.join('');
      await this.#write(Buffer.from(text)).then(batch.resolve, batch.reject);
      this.#pendingBytes -= text.length;
    }
    this.#writing = undefined;
  }

  async #write(lines: Buffer): Promise<void> {
    const bytes = this.#isTorn ? Buffer.concat([NEWLINE, lines]) : lines;
    this.#rotate(bytes.length);
    this.#isTorn = true;
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await writeAsync(this.#fd, bytes, at, bytes.length - at, null);
      at += bytesWritten;
    }
    this.#isTorn = false;
    this.#bytes += bytes.length;
  }

  #open(): number {
    if (this.#options.path === '-') return STANDARD_OUTPUT;
    const fd = openSync(this.#options.path, 'a', 0o600);
    const { ino, size } = fstatSync(fd);
    this.#inode = ino;
    this.#bytes = size;
    return fd;
  }

  #reopen(): void {
    const before = this.#fd;
    this.#fd = this.#open();
    close(before);
  }

  #rotate(more: number): void {
    const { path, maxBytes } = this.#options;
    if (path === '-') return;
    if (performance.now() - this.#checkedAt > CHECK_MS) this.#check();
    if (this.#bytes === 0 || this.#bytes + more <= maxBytes) return;
    // another process that shares the file may have rotated it already
    this.#check();
    if (this.#bytes + more <= maxBytes) return;
    const backup = this.#backupName();
    renameSync(path, backup);
    this.#reopen();
    void this.#options.tidying.track(this.#tidy(backup));
  }

  /** Reopens the file when another process has moved it, and refreshes its size when another process writes, too. */
  #check(): void {
    this.#checkedAt = performance.now();
    const there = statSync(this.#options.path, { throwIfNoEntry: false });
    if (there === undefined || there.ino !== this.#inode) this.#reopen();
    else this.#bytes = there.size;
  }

  #backupName(): string {
    const { stem, ending } = this.#names();
    for (let ms = Date.now(); ; ms++) {
      const time = new Date(ms).toISOString().replaceAll(':', '-').slice(0, -1);
      const name = join(dirname(this.#options.path), `${stem}-${time}${ending}`);
      if (!existsSync(name) && !existsSync(`${name}.gz`)) return name;
    }
  }

  #names(): { stem: string; ending: string } {
    const ending = extname(this.#options.path);
    return { stem: basename(this.#options.path, ending), ending };
  }

  /** Compresses the newest backup, and removes backups that are too many or too old. A failure does not stop the rest. */
  async #tidy(backup: string): Promise<void> {
    const { compresses, maxBackups, maxDays } = this.#options;
    if (compresses) {
      const compressed = createWriteStream(`${backup}.gz`, { mode: 0o600 });
      await pipeline(createReadStream(backup), createGzip(), compressed).then(
        () => remove(backup),
        this.#options.tidying.failed,
      );
    }
    const oldest = maxDays === 0 ? 0 : Date.now() - maxDays * DAY_MS;
    this.#backups().forEach(({ file, time }, i) => {
      const tooMany = maxBackups > 0 && i >= maxBackups;
      if (tooMany || time < oldest) remove(file);
    });
  }

  /** newest first */
  #backups(): Array<{ file: string; time: number }> {
    const { stem, ending } = this.#names();
    const dir = dirname(this.#options.path);
    return readdirSync(dir)
      .filter((name) => name.startsWith(`${stem}-`) && (name.endsWith(ending) || name.endsWith(`${ending}.gz`)))
      .map((name) => ({ file: join(dir, name), time: timeIn(name.slice(stem.length + 1)) }))
      .filter(({ time }) => !Number.isNaN(time))
      .sort((a, b) => b.time - a.time);
  }
}

function timeIn(name: string): number {
  const [, day = '', hours, minutes, seconds] = /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d\.\d{3})/.exec(name) ?? [];
  return Date.parse(`${day}${hours}:${minutes}:${seconds}Z`);
}

function remove(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    // another process that shares the file has removed it already
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
