import type { Writable } from 'node:stream';
import { checkServer, connectTarget, Pool, waitForServer } from '@tidegate/database';
import postgres from 'postgres';

const REACH_MS = 30_000;

/** removes the time limits of the role and the database; behind a pooler they cannot be set when connecting */
const NO_LIMITS = `SELECT set_config(name, '0', true) FROM pg_settings
  WHERE name IN ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`;

/** Waits for a server that may be starting, rejects one that is too old, and runs `first`. */
export async function reachServer(url: string, first: (pool: Pool) => Promise<void> = async () => {}): Promise<void> {
  const pool = new Pool({ url, name: 'backup', connections: 1, prepare: false, onState: () => {} });
  try {
    await waitForServer(pool, REACH_MS);
    // unsafe settings of the server are an error for the store, and not for a backup
    await checkServer(pool, true);
    await first(pool);
  } finally {
    await pool.close();
  }
}

/**
 * Runs work in one transaction on its own connection, without time limits. The transaction is rolled back when `work`
 * throws, and when this process ends.
 */
export async function inTransaction<T>(url: string, mode: string, work: (session: Session) => Promise<T>): Promise<T> {
  const target = connectTarget(url);
  const sql = postgres(target.url, {
    ...target.options,
    max: 1,
    prepare: false,
    fetch_types: false,
    connect_timeout: 10,
    onnotice: () => {},
    connection: { application_name: 'tidegate-backup' },
    types: { bigint: { to: 20, from: [20], serialize: String, parse: Number } },
  });
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  const transaction = sql.begin(mode, async (tx) => {
    try {
      const session = new Session(tx as unknown as postgres.Sql);
      await session.query(NO_LIMITS);
      return await work(session);
    } catch (error) {
      fail(error);
      throw error;
    }
  });
  try {
    // After a failure the connection is closed, which ends the transaction. A ROLLBACK would wait for a COPY that is no
    // longer read.
    return (await Promise.race([transaction, failed])) as T;
  } finally {
    // a second error: the first one was thrown already
    for (const other of [failed, transaction]) other.catch(() => {});
    await sql.end({ timeout: 0 });
  }
}

export class Session {
  readonly #sql: postgres.Sql;

  constructor(sql: postgres.Sql) {
    this.#sql = sql;
  }

  async query(text: string, parameters: ReadonlyArray<string | number> = []): Promise<readonly unknown[][]> {
    return (await this.#sql.unsafe(text, [...parameters]).values()) as unknown[][];
  }

  /** Returns the output of COPY TO STDOUT. */
  async *copyOut(text: string): AsyncGenerator<Buffer> {
    const stream = await this.#sql.unsafe(text).readable();
    for await (const chunk of stream) yield chunk as Buffer;
    // the driver pauses its socket for a slow reader, and does not resume it at the end
    stream._read(0);
  }

  /** Runs COPY FROM STDIN with the bytes that `write` passes on. Resolves when PostgreSQL has accepted all of them. */
  async copyIn(text: string, write: (give: (bytes: Buffer) => Promise<void>) => Promise<void>): Promise<void> {
    const stream = await this.#sql.unsafe(text).writable();
    let failure: Error | undefined;
    stream.on('error', (error) => {
      failure ??= error;
    });
    try {
      await write((bytes) => give(stream, bytes));
    } catch (error) {
      stream.destroy(error as Error);
      throw failure ?? error;
    }
    stream.end();
    // PostgreSQL may reject a row after the last one was sent; then only the next statement fails
    await this.query('SELECT 1').catch((error: unknown) => {
      throw failure ?? error;
    });
  }
}

function give(stream: Writable, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}
