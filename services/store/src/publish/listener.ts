import { connectTarget } from '@tidegate/database';
import type { Logger } from '@tidegate/service-kit';
import postgres from 'postgres';

interface ListenerOptions {
  url: string;
  onRevision: (revision: number) => void;
  log: Logger;
}

/** Receives the commits of other replicas through NOTIFY, on its own connection past any pooler. */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #sql: postgres.Sql;

  constructor(options: ListenerOptions) {
    this.#options = options;
    const target = connectTarget(options.url);
    this.#sql = postgres(target.url, {
      ...target.options,
      max: 1,
      connect_timeout: 2,
      backoff: (attempts: number) => Math.min(0.1 * 2 ** attempts, 2),
      fetch_types: false,
      onnotice: () => {},
      connection: { application_name: 'tidegate-store-listen' },
    });
  }

  async start(): Promise<void> {
    try {
      await this.#sql.listen('tidegate', (text) => this.#options.onRevision(Number(text)));
    } catch (error) {
      this.#options.log.warn({ err: error }, 'LISTEN failed; the store polls the log every second.');
    }
  }

  async close(): Promise<void> {
    await this.#sql.end({ timeout: 1 });
  }
}
