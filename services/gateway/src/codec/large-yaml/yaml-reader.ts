import { Worker } from 'node:worker_threads';
import { BodyNotes, type Decoded } from '@tidegate/schema';
import { type ApiError, badRequest } from '@tidegate/status';
import type { YamlReply } from './thread.ts';

/** A text of the largest size takes less than one second. */
const PATIENCE_MS = 10_000;
/** A text that needs more is refused: it is made of very many tiny parts. */
const HEAP_MIB = 128;
/** Afterwards its thread is not kept: it has memory that others may need. */
const IDLE_MS = 5000;

type Settle = (answer: YamlReply | Error) => void;

/**
 * Reads large texts in another thread, so that nobody waits for them: YAML takes ten times as long to read as JSON.
 *
 * Invariant: the thread has one text at a time, and `#settle` takes what becomes of it. `#turn` settles when the thread has
 * none, in the order in which they came.
 */
export class YamlReader {
  #thread: Worker | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #settle: Settle | undefined;
  #idle: NodeJS.Timeout | undefined;

  /** What the text says, or why it is refused. */
  async read(text: Buffer): Promise<Decoded | ApiError> {
    const turn = this.#turn.then(() => this.#ask(text));
    // an error of the thread is told to whose text it was
    this.#turn = turn.catch(() => undefined);
    return decoded(await turn);
  }

  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  async #ask(text: Buffer): Promise<YamlReply> {
    clearTimeout(this.#idle);
    this.#thread ??= this.#begin();
    const { promise, resolve } = Promise.withResolvers<YamlReply | Error>();
    this.#settle = resolve;
    const timer = setTimeout(() => this.#end(refused('it takes too long to read; send it as JSON')), PATIENCE_MS);
    this.#thread.postMessage(text);
    const answer = await promise;
    clearTimeout(timer);
    this.#idle = setTimeout(() => this.#letGo(), IDLE_MS).unref();
    if (answer instanceof Error) throw answer;
    return answer;
  }

  #begin(): Worker {
    const thread = new Worker(new URL('./thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    });
    thread.unref();
    thread.on('message', (reply: YamlReply) => this.#settle?.(reply));
    thread.on('error', (error: NodeJS.ErrnoException) => {
      const isFull = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      if (this.#thread === thread) this.#end(isFull ? refused('it has too many parts; send it as JSON') : error);
    });
    thread.on('exit', () => {
      if (this.#thread === thread) this.#end(new Error('the thread that reads YAML has ended'));
    });
    return thread;
  }

  #end(answer: YamlReply | Error): void {
    this.#letGo();
    this.#settle?.(answer);
  }

  /** The next text has a new thread. */
  #letGo(): void {
    void this.#thread?.terminate();
    this.#thread = undefined;
  }
}

function refused(why: string): YamlReply {
  return { refusal: `couldn't parse the body of the request as YAML: ${why}` };
}

function decoded(reply: YamlReply): Decoded | ApiError {
  if ('refusal' in reply) return badRequest(reply.refusal);
  const { value, twice, lines } = reply;
  if (twice === undefined) return { value };
  const notes = new BodyNotes();
  for (const [holder, keys] of twice) notes.twice.set(holder, keys);
  notes.lines = lines;
  return { value, notes };
}
