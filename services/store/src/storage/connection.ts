import postgres from 'postgres';
import { connectTarget } from './postgres-url.ts';
import { failureKind, isAway } from './sqlstate.ts';

/** Parameters as text, in PostgreSQL's own syntax. */
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

/** What a call that never came back is reported as; its SQLSTATE is that of a broken connection. */
class NoAnswer extends Error {
  readonly code = '08006';
}

/** What a call that was never sent is reported as: there was no connection to send it on, so nothing was executed. */
class NotSent extends Error {
  readonly code = 'NOT_SENT';
}

/**
 * A few connections to PostgreSQL for one use, so that no use waits behind another.
 * Invariant: a call ends within its time. One that does not takes its pool with it, because a connection that has
 * stopped answering would swallow the calls after it, too; the pool is then made anew.
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

  /** Runs one statement by itself; rows are arrays of columns. */
  async query(text: string, parameters: readonly Parameter[] = [], timeoutMs = 5000): Promise<Row[]> {
    const sql = this.#sql;
    const running = sql.unsafe(text, parameters as Parameter[], extended(this.#options.prepare)).values();
    return this.#within(timeoutMs, sql, running as unknown as Promise<Row[]>);
  }

  /** Runs statements in one transaction that is rolled back when work throws. */
  async transaction<T>(mode: string, work: (run: Transaction) => Promise<T>): Promise<T> {
    const sql = this.#sql;
    const prepare = this.#options.prepare;
    try {
      const result = await sql.begin(mode, (tx) =>
        work((text, parameters = []) => {
          // a text without parameters is not sent twice: it is worth no named statement
          const options = { prepare: prepare && parameters.length > 0, simple: false };
          const running = tx.unsafe(text, parameters as Parameter[], options).values();
          return this.#within(30_000, sql, running as unknown as Promise<Row[]>);
        }),
      );
      return result as T;
    } catch (error) {
      this.#report(error);
      throw error;
    }
  }

  /** Gives connections that are made from here on run-time parameters, and makes the present ones anew. */
  useSession(session: Readonly<Record<string, string>>): void {
    const before = this.#sql;
    this.#session = session;
    this.#sql = this.#open();
    void before.end({ timeout: 5 }).catch(() => {});
  }

  async close(): Promise<void> {
    await this.#sql.end({ timeout: 1 });
  }

  async #within<T>(timeoutMs: number, sql: postgres.Sql, running: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    try {
      const result = await Promise.race([
        running,
        new Promise<never>((_, reject) => {
          timer = setTimeout(() => reject(new NoAnswer(`PostgreSQL did not answer within ${timeoutMs} ms`)), timeoutMs);
        }),
      ]);
      this.#options.onState(undefined);
      return result;
    } catch (error) {
      const failure = wasSent(running) ? error : notSent(error);
      if (error instanceof NoAnswer) {
        running.catch(() => {});
        // one that waits for a connection must not be executed after its caller was told that it was not
        if (failure instanceof NotSent) (running as unknown as postgres.PendingQuery<never>).cancel();
        this.#replace(sql);
      }
      this.#report(failure);
      throw failure;
    } finally {
      clearTimeout(timer);
    }
  }

  #report(error: unknown): void {
    if (isAway(failureKind(error))) this.#options.onState(error);
  }

  #replace(sql: postgres.Sql): void {
    if (this.#sql !== sql) return;
    this.#sql = this.#open();
    void sql.end({ timeout: 0 }).catch(() => {});
  }

  #open(): postgres.Sql {
    const { url, name, connections, prepare } = this.#options;
    const target = connectTarget(url);
    return postgres(target.url, {
      ...target.options,
      max: connections,
      prepare,
      // array types are told by casts in the statements
      fetch_types: false,
      connect_timeout: 2,
      backoff: () => 0.05,
      onnotice: () => {},
      connection: { application_name: `tidegate-store-${name}`, ...this.#session },
      types: {
        bigint: { to: 20, from: [20], serialize: String, parse: Number },
        // parameters come in hexadecimal already
        bytea: { to: 17, from: [17], serialize: (text: string) => text, parse: fromHex },
      },
    }) as unknown as postgres.Sql;
  }
}

/** The driver gives a query its connection's state in the moment in which it writes it. */
function wasSent(running: Promise<unknown>): boolean {
  return (running as { state?: unknown }).state !== null;
}

function notSent(error: unknown): unknown {
  const { code, message } = error as { code?: string; message: string };
  if (error instanceof NoAnswer) return new NotSent('no connection to PostgreSQL could be had', { cause: error });
  // the driver ends connections to a server of the wrong role with this
  if (code === 'CONNECTION_DESTROYED') return new NotSent('PostgreSQL is a standby', { cause: error });
  return isAway(failureKind(error)) ? new NotSent(message, { cause: error }) : error;
}

/** The extended protocol even for a text without parameters: the driver knows the option, its types do not. */
function extended(prepare: boolean): { prepare: boolean } {
  return { prepare, simple: false } as { prepare: boolean };
}

function fromHex(text: string): Buffer {
  return Buffer.from(text.slice(2), 'hex');
}
