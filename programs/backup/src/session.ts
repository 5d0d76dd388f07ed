import type { Writable } from 'node:stream';
import { connectTarget } from '@tidegate/database';
import postgres from 'postgres';

/** A role's or database's own limits are for clients that answer people. Behind a pooler they cannot be set at the start. */
const NO_LIMITS = `SELECT set_config(name, '0', true) FROM pg_settings
  WHERE name IN ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`;

/**
 * One connection of a program that is not in a hurry: nothing here has a time limit, unlike the store's own pools.
 * What work() does is one transaction, and undone when it throws or when this process ends.
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
    // a failure does not wait for ROLLBACK, which would wait for a COPY that nobody reads any more: the connection ends,
    // and takes the transaction with it
    return (await Promise.race([transaction, failed])) as T;
  } finally {
    // the error of the one that lost the race: the other has told it
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

  /** What COPY TO STDOUT writes. */
  async *copyOut(text: string): AsyncGenerator<Buffer> {
    const stream = await this.#sql.unsafe(text).readable();
    for await (const chunk of stream) yield chunk as Buffer;
    // the driver pauses its socket while its reader is slow, and at the end forgets to go on
    stream._read(0);
  }

  /** Gives COPY FROM STDIN what write() hands to it, and passes when PostgreSQL has taken all of it. */
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
    // a row may be refused after the last was sent, and then only the next statement is told
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
