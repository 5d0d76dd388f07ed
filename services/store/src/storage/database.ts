import { checkServer, migrate, openEpochIfMoved, Pool, type ServerFacts, waitForServer } from '@tidegate/database';

interface DatabaseOptions {
  postgresUrl: string;
  postgresDirectUrl: string;
  postgresMigrationUrl?: string;
  postgresPrepare: boolean;
}

const START_MS = 60_000;

/**
 * When a process is stopped between two packets of a commit, PostgreSQL waits for the rest of the message with the head
 * locked. This limit ends such a transaction; releases before 17 do not have it. Behind a pooler it cannot be set.
 */
const COMMIT_SESSION = { transaction_timeout: '10s' };
/** A statement that is cancelled while it waits for a standby is committed nevertheless, so nothing may cancel it. */
const ANY_COMMIT_SESSION = { statement_timeout: '0' };

/** All connections of this process to PostgreSQL. Their calls show whether PostgreSQL works. */
export class Database {
  /** one commit is in flight at most */
  readonly commits: Pool;
  readonly reads: Pool;
  /** lists and the log, whose calls are long: small calls do not wait behind them */
  readonly streams: Pool;
  readonly #setup: Pool;
  readonly #pooled: boolean;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #error: unknown = new Error('not connected yet');

  constructor(options: DatabaseOptions) {
    const { postgresUrl: url, postgresDirectUrl, postgresMigrationUrl, postgresPrepare: prepare } = options;
    const onState = (error: unknown) => {
      this.#error = error;
      if (error === undefined) this.#answeredAt = performance.now();
    };
    this.commits = new Pool({ url, name: 'commits', connections: 1, prepare, onState });
    this.reads = new Pool({ url, name: 'reads', connections: 2, prepare, onState });
    this.streams = new Pool({ url, name: 'streams', connections: 4, prepare, onState });
    this.#pooled = postgresDirectUrl !== '';
    const setup = postgresMigrationUrl || postgresDirectUrl || url;
    this.#setup = new Pool({ url: setup, name: 'setup', connections: 1, prepare, onState });
  }

  /** Waits for the server, rejects unsafe settings, and brings the schema up to date. */
  async open(options: { allowDataLoss: boolean }): Promise<{ facts: ServerFacts; moved: boolean }> {
    await waitForServer(this.#setup, START_MS);
    const facts = await checkServer(this.#setup, options.allowDataLoss);
    await migrate(this.#setup);
    if (!this.#pooled) {
      this.commits.useSession({ ...ANY_COMMIT_SESSION, ...(facts.version >= 170_000 ? COMMIT_SESSION : {}) });
    }
    const moved = await openEpochIfMoved(this.#setup);
    await this.#setup.close();
    return { facts, moved };
  }

  failing(): string | undefined {
    if (this.#error === undefined) return undefined;
    return this.#error instanceof Error ? this.#error.message : String(this.#error);
  }

  /** Whether PostgreSQL has answered nothing for this long. */
  quiet(ms: number): boolean {
    return performance.now() - this.#answeredAt >= ms;
  }

  async close(): Promise<void> {
    await Promise.all([this.commits, this.reads, this.streams, this.#setup].map((pool) => pool.close()));
  }
}
