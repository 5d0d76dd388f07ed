import { statSync } from 'node:fs';
import type { Logger } from './logger.ts';

interface WatchedFilesOptions<T> {
  readonly files: readonly string[];
  /** Reads all files; throws if they do not match. */
  readonly read: () => T;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly everyMs?: number;
}

const EVERY_MS = 2000;

/**
 * Files that belong together, such as a certificate and its key, and that are reloaded when they change.
 *
 * Invariant: `value` is the last valid content. While files are replaced one after another, or if they become invalid,
 * the previous content stays in use.
 */
export class WatchedFiles<T> {
  readonly #options: WatchedFilesOptions<T>;
  readonly #listeners = new Set<(value: T) => void>();
  #value: T;
  #read: string;
  #reported = '';
  readonly #timer: NodeJS.Timeout;

  /** Throws if the files are invalid. */
  constructor(options: WatchedFilesOptions<T>) {
    this.#options = options;
    this.#read = this.#signature();
    this.#value = options.read();
    this.#timer = setInterval(() => this.check(), options.everyMs ?? EVERY_MS);
    this.#timer.unref();
  }

  get value(): T {
    return this.#value;
  }

  onChange(listener: (value: T) => void): void {
    this.#listeners.add(listener);
  }

  removeListener(listener: (value: T) => void): void {
    this.#listeners.delete(listener);
  }

  /** Reloads the files if they have changed. */
  check(): void {
    const { files, read, log } = this.#options;
    const signature = this.#signature();
    if (signature === this.#read) return;
    try {
      this.#value = read();
      for (const listener of this.#listeners) listener(this.#value);
      this.#read = signature;
      this.#reported = '';
      log.info({ files }, 'Files have been reloaded.');
    } catch (error) {
      const reason = (error as Error).message;
      if (reason !== this.#reported)
        log.warn({ files, reason }, 'Files have changed and are invalid; the previous content stays in use.');
      this.#reported = reason;
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Includes the inode, because a file that is mounted from a Secret is replaced at each change. */
  #signature(): string {
    return this.#options.files
      .map((file) => {
        const stat = statSync(file, { throwIfNoEntry: false, bigint: true });
        return stat === undefined ? '-' : `${stat.ino}:${stat.size}:${stat.mtimeNs}`;
      })
      .join();
  }
}
