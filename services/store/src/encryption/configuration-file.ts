import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Logger } from '@tidegate/service-kit';
import { readConfiguration } from './configuration.ts';
import type { Vault } from './vault.ts';

interface FileOptions {
  path: string;
  vault: Vault;
  log: Logger;
}

/**
 * Reads the encryption configuration from its file. Invariant: the vault uses the newest valid configuration; an invalid
 * one is logged, and changes nothing.
 */
export class ConfigurationFile {
  readonly #options: FileOptions;
  #digest = '';
  #trouble: string | undefined;

  constructor(options: FileOptions) {
    this.#options = options;
  }

  /** Throws when the file is invalid: nothing may be stored without a valid configuration. */
  open(): void {
    this.#use(readFileSync(this.#options.path, 'utf8'));
  }

  /** Reads the file again if it has changed. */
  async refresh(): Promise<void> {
    const { path, log } = this.#options;
    const before = this.#trouble;
    try {
      this.#use(await readFile(path, 'utf8'));
      this.#trouble = undefined;
    } catch (error) {
      this.#trouble = (error as Error).message;
      if (this.#trouble !== before) {
        log.error(
          { path, reason: this.#trouble },
          'The encryption configuration is invalid; the previous one stays in use.',
        );
      }
    }
  }

  /** Why the present file is not in use. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  #use(text: string): void {
    const digest = createHash('sha256').update(text).digest('hex');
    if (digest === this.#digest) return;
    this.#options.vault.use(readConfiguration(text));
    if (this.#digest !== '') this.#options.log.info('The encryption configuration was reloaded.');
    this.#digest = digest;
  }
}
