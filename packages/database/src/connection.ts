import postgres from 'postgres';
import { connectTarget } from './postgres-url.ts';
import { failureKind, isUnreachable } from './sqlstate.ts';

/** A parameter of a statement; arrays and bytes are texts in PostgreSQL's syntax. */
export type Parameter = string | number | boolean | null;
export type Row = readonly unknown[];
export type Transaction = (text: string, parameters?: readonly Parameter[]) => Promise<Row[]>;

interface PoolOptions {
  url: string;
  name: string;
  connections: number;
  prepare: boolean;
  onState: (error: unknown) => void;
}

/** The error of a call without a response; its SQLSTATE is that of a broken connection. */
class NoResponse extends Error {
  readonly code = '08006';
}

/** The error of a call that was never sent, because there was no connection: nothing was executed. */
class NotSent extends Error {
  readonly code = 'NOT_SENT';
}

/** The pool was replaced before this call was sent; the call is sent on the new pool. */
class PoolReplaced extends Error {}

/**
 * A few connections to PostgreSQL for one purpose, so that no purpose waits behind another.
 *
 * Invariant: a call ends within its timeout. When a call times out or a connection breaks, the whole pool is replaced,
 * because later calls on a connection that no longer responds would get no response either.
 */
export class Pool {
  readonly #options: PoolOptions;
  /** run-time parameters of each connection */
  #session: Readonly<Record<string, string>> = {};
  #sql: postgres.Sql;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#sql = this.#open();
  }

  /** Runs one statement outside a transaction; rows are arrays of columns. */
  async query(text: string, parameters: readonly Parameter[] = [], timeoutMs = 5000): Promise<Row[]> {
    for (;;) {
      const sql = this.#sql;
      const options = extended(this.#options.prepare);
      const running = sql.unsafe(text, parameters as Parameter[], options).values() as unknown as Promise<Row[]>;
      try {
        return await this.#within(timeoutMs, sql, running);
      } catch (error) {
        if (!(error instanceof PoolReplaced)) throw error;
      }
    }
  }

  /** Runs statements in one transaction, which is rolled back when `work` throws. */
  async transaction<T>(mode: string, work: (run: Transaction) => Promise<T>): Promise<T> {
    for (;;) {
      const sql = this.#sql;
      let begun = false;
      try {
        const result = await sql.begin(mode, (tx) => {
          begun = true;
          return work((text, parameters = []) => this.#within(30_000, sql, this.#runIn(tx, text, parameters)));
        });
        return result as T;
      } catch (error) {
        if (!begun && this.#sql !== sql && isDestroyed(error)) continue;
        this.#noteFailure(sql, error);
        throw error;
      }
    }
  }

  /** Sets run-time parameters for all connections, and replaces the present ones. */
  useSession(session: Readonly<Record<string, string>>): void {
    const before = this.#sql;
    this.#session = session;
    this.#sql = this.#open();
    // an error of a connection that is no longer used
    void before.end({ timeout: 5 }).catch(() => {});
  }

  async close(): Promise<void> {
    await this.#sql.end({ timeout: 1 });
  }

  #runIn(tx: postgres.TransactionSql, text: string, parameters: readonly Parameter[]): Promise<Row[]> {
    // a text without parameters is not repeated, so it needs no named statement
    const options = { prepare: this.#options.prepare && parameters.length > 0, simple: false };
    return tx.unsafe(text, parameters as Parameter[], options).values() as unknown as Promise<Row[]>;
  }

  async #within<T>(timeoutMs: number, sql: postgres.Sql, running: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    try {
      const result = await Promise.race([
        running,
        new Promise<never>((_, reject) => {
          timer = setTimeout(
            () => reject(new NoResponse(`PostgreSQL did not answer within ${timeoutMs} ms`)),
            timeoutMs,
          );
        }),
      ]);
      this.#options.onState(undefined);
      return result;
    } catch (error) {
      const sent = wasSent(running);
      if (!sent && this.#sql !== sql && isDestroyed(error)) throw new PoolReplaced();
      const failure = sent ? error : notSent(error);
      if (error instanceof NoResponse) {
        // a late error of this call: its caller already has an error
        running.catch(() => {});
        // a call that waits for a connection must not be executed after its caller has got an error
        if (!sent) (running as unknown as postgres.PendingQuery<never>).cancel();
        this.#replace(sql);
      }
      this.#noteFailure(sql, failure);
      throw failure;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Replaces the pool: the driver reopens a broken connection with a partly read response, which corrupts the next. */
  #noteFailure(sql: postgres.Sql, error: unknown): void {
    const kind = failureKind(error);
    if (kind === 'lost') this.#replace(sql);
    if (isUnreachable(kind)) this.#options.onState(error);
  }

  #replace(sql: postgres.Sql): void {
    if (this.#sql !== sql) return;
    this.#sql = this.#open();
    // an error of a connection that is no longer used
    void sql.end({ timeout: 0 }).catch(() => {});
  }

  #open(): postgres.Sql {
    const { url, name, connections, prepare } = this.#options;
    const target = connectTarget(url);
    return postgres(target.url, {
      ...target.options,
      max: connections,
      prepare,
      // casts in the statements give the array types
      fetch_types: false,
      connect_timeout: 2,
      backoff: () => 0.05,
      onnotice: () => {},
      connection: { application_name: `tidegate-store-${name}`, ...this.#session },
      types: {
        bigint: { to: 20, from: [20], serialize: String, parse: Number },
        // parameters are in hexadecimal already
        bytea: { to: 17, from: [17], serialize: (text: string) => text, parse: fromHex },
      },
    }) as unknown as postgres.Sql;
  }
}

/** The driver sets the state of a query when it writes the query to a connection. */
function wasSent(running: Promise<unknown>): boolean {
  return (running as { state?: unknown }).state !== null;
}

/** The driver's errors for calls whose connection was closed, and for a server with the wrong role. */
function isDestroyed(error: unknown): boolean {
  return ['CONNECTION_DESTROYED', 'CONNECTION_ENDED'].includes((error as { code?: string }).code ?? '');
}

function notSent(error: unknown): unknown {
  if (error instanceof NoResponse) return new NotSent('no connection to PostgreSQL is available', { cause: error });
  if (isDestroyed(error)) return new NotSent('PostgreSQL is a standby', { cause: error });
  // an error of PostgreSQL itself, for example at authentication, is passed on unchanged
  if (error instanceof postgres.PostgresError || !isUnreachable(failureKind(error))) return error;
  return new NotSent((error as Error).message, { cause: error });
}

/** Uses the extended protocol also for a text without parameters; the driver's types lack this option. */
function extended(prepare: boolean): { prepare: boolean } {
  return { prepare, simple: false } as { prepare: boolean };
}

function fromHex(text: string): Buffer {
  return Buffer.from(text.slice(2), 'hex');
}
