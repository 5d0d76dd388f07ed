import { statSync } from 'node:fs';
import type { Logger } from './logger.ts';

interface WatchedFilesOptions<T> {
  readonly files: readonly string[];
  /** Reads them all, and throws when they do not fit together. */
  readonly read: () => T;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly everyMs?: number;
}

const EVERY_MS = 2000;

/**
 * Files that belong together, such as a certificate and its key, and that are read again when they change.
 *
 * Invariant: what they say is what they said when they last fitted together. Files that are being exchanged one after
 * another are left until the last one is there, and files that became bad change nothing.
 */
export class WatchedFiles<T> {
  readonly #options: WatchedFilesOptions<T>;
  readonly #listeners = new Set<(value: T) => void>();
  #value: T;
  #read: string;
  #told = '';
  readonly #timer: NodeJS.Timeout;

  /** Throws when they are bad now. */
  constructor(options: WatchedFilesOptions<T>) {
    this.#options = options;
    this.#read = this.#signature();
    this.#value = options.read();
    this.#timer = setInterval(() => this.look(), options.everyMs ?? EVERY_MS);
    this.#timer.unref();
  }

  get value(): T {
    return this.#value;
  }

  onChange(listener: (value: T) => void): void {
    this.#listeners.add(listener);
  }

  forget(listener: (value: T) => void): void {
    this.#listeners.delete(listener);
  }

  /** Looks whether they have changed. */
  look(): void {
    const { files, read, log } = this.#options;
    const signature = this.#signature();
    if (signature === this.#read) return;
    try {
      this.#value = read();
      for (const listener of this.#listeners) listener(this.#value);
      this.#read = signature;
      this.#told = '';
      log.info({ files }, 'Files have been read anew.');
    } catch (error) {
      const reason = (error as Error).message;
      if (reason !== this.#told)
        log.warn({ files, reason }, 'Files have changed and are bad; what they said stays in use.');
      this.#told = reason;
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** A file that is mounted from a secret is another one after each change. */
  #signature(): string {
    return this.#options.files
      .map((file) => {
        const stat = statSync(file, { throwIfNoEntry: false, bigint: true });
        return stat === undefined ? '-' : `${stat.ino}:${stat.size}:${stat.mtimeNs}`;
      })
      .join();
  }
}
