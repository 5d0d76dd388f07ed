import { Worker } from 'node:worker_threads';
import { BodyNotes, type Decoded } from '@tidegate/schema';
import { type ApiError, badRequest } from '@tidegate/status';
import type { YamlReply } from './thread.ts';

/** A text of the maximum size takes less than one second. */
const TIMEOUT_MS = 10_000;
/** A text that needs more memory is rejected: it consists of very many tiny parts. */
const HEAP_MIB = 128;
/** An idle thread is stopped after this time to release its memory. */
const IDLE_MS = 5000;

type Settle = (answer: YamlReply | Error) => void;

/**
 * Parses large YAML texts in a worker thread, so that they do not block the event loop: YAML takes ten times as long to
 * parse as JSON.
 *
 * Invariant: the thread has at most one text at a time, and `#settle` receives its result. `#queue` settles when the
 * thread is free; texts are processed in the order in which they arrive.
 */
export class YamlReader {
  #thread: Worker | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #settle: Settle | undefined;
  #idle: NodeJS.Timeout | undefined;

  /** The parsed text, or the error with which it is rejected. */
  async read(text: Buffer): Promise<Decoded | ApiError> {
    const reply = this.#queue.then(() => this.#send(text));
    // a failure of the thread is reported only to the caller whose text caused it
    this.#queue = reply.catch(() => undefined);
    return decoded(await reply);
  }

  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  async #send(text: Buffer): Promise<YamlReply> {
    clearTimeout(this.#idle);
    this.#thread ??= this.#startThread();
    const { promise, resolve } = Promise.withResolvers<YamlReply | Error>();
    this.#settle = resolve;
    const timer = setTimeout(() => this.#finish(refused('it takes too long to read; send it as JSON')), TIMEOUT_MS);
    this.#thread.postMessage(text);
    const answer = await promise;
    clearTimeout(timer);
    this.#idle = setTimeout(() => this.#stopThread(), IDLE_MS).unref();
    if (answer instanceof Error) throw answer;
    return answer;
  }

  #startThread(): Worker {
    const thread = new Worker(new URL('./thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    });
    thread.unref();
    thread.on('message', (reply: YamlReply) => this.#settle?.(reply));
    thread.on('error', (error: NodeJS.ErrnoException) => {
      const isFull = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      if (this.#thread === thread) this.#finish(isFull ? refused('it has too many parts; send it as JSON') : error);
    });
    thread.on('exit', () => {
      if (this.#thread === thread) this.#finish(new Error('the YAML worker thread has exited'));
    });
    return thread;
  }

  #finish(answer: YamlReply | Error): void {
    this.#stopThread();
    this.#settle?.(answer);
  }

  /** Stops the thread; the next text starts a new one. */
  #stopThread(): void {
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
  for (const [holder, keys] of twice) notes.repeatedKeys.set(holder, keys);
  notes.lines = lines;
  return { value, notes };
}
