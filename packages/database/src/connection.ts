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

/** Another call took the pool with it before this one was sent: it is sent on the new one. */
class Displaced extends Error {}

/**
 * A few connections to PostgreSQL for one use, so that no use waits behind another.
 * Invariant: a call ends within its time. One that does not takes its pool with it, because a connection that has
 * stopped answering would swallow the calls after it, too; the pool is then made anew. So it is when a connection breaks.
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
    for (;;) {
      const sql = this.#sql;
      const options = extended(this.#options.prepare);
      const running = sql.unsafe(text, parameters as Parameter[], options).values() as unknown as Promise<Row[]>;
      try {
        return await this.#within(timeoutMs, sql, running);
      } catch (error) {
        if (!(error instanceof Displaced)) throw error;
      }
    }
  }

  /** Runs statements in one transaction that is rolled back when work throws. */
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

  /** Gives connections that are made from here on run-time parameters, and makes the present ones anew. */
  useSession(session: Readonly<Record<string, string>>): void {
    const before = this.#sql;
    this.#session = session;
    this.#sql = this.#open();
    // an error of a connection that is given up
    void before.end({ timeout: 5 }).catch(() => {});
  }

  async close(): Promise<void> {
    await this.#sql.end({ timeout: 1 });
  }

  #runIn(tx: postgres.TransactionSql, text: string, parameters: readonly Parameter[]): Promise<Row[]> {
    // a text without parameters is not sent twice: it is worth no named statement
    const options = { prepare: this.#options.prepare && parameters.length > 0, simple: false };
    return tx.unsafe(text, parameters as Parameter[], options).values() as unknown as Promise<Row[]>;
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
      const sent = wasSent(running);
      if (!sent && this.#sql !== sql && isDestroyed(error)) throw new Displaced();
      const failure = sent ? error : notSent(error);
      if (error instanceof NoAnswer) {
        // the caller is told that there was no answer; what this says later is no news
        running.catch(() => {});
        // one that waits for a connection must not be executed after its caller was told that it was not
        if (!sent) (running as unknown as postgres.PendingQuery<never>).cancel();
        this.#replace(sql);
      }
      this.#noteFailure(sql, failure);
      throw failure;
    } finally {
      clearTimeout(timer);
    }
  }

  /** The driver opens a broken connection again with what it had half read, and mixes that into the next answers. */
  #noteFailure(sql: postgres.Sql, error: unknown): void {
    const kind = failureKind(error);
    if (kind === 'lost') this.#replace(sql);
    if (isAway(kind)) this.#options.onState(error);
  }

  #replace(sql: postgres.Sql): void {
    if (this.#sql !== sql) return;
    this.#sql = this.#open();
    // an error of a connection that is given up
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

/** So the driver ends calls together with their connection, and connections to a server of the wrong role. */
function isDestroyed(error: unknown): boolean {
  return ['CONNECTION_DESTROYED', 'CONNECTION_ENDED'].includes((error as { code?: string }).code ?? '');
}

function notSent(error: unknown): unknown {
  if (error instanceof NoAnswer) return new NotSent('no connection to PostgreSQL could be had', { cause: error });
  if (isDestroyed(error)) return new NotSent('PostgreSQL is a standby', { cause: error });
  // what PostgreSQL itself says at the door is told as it is
  if (error instanceof postgres.PostgresError || !isAway(failureKind(error))) return error;
  return new NotSent((error as Error).message, { cause: error });
}

/** The extended protocol even for a text without parameters: the driver knows the option, its types do not. */
function extended(prepare: boolean): { prepare: boolean } {
  return { prepare, simple: false } as { prepare: boolean };
}

function fromHex(text: string): Buffer {
  return Buffer.from(text.slice(2), 'hex');
}
