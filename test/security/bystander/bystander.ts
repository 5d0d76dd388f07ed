import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** What a bystander looks at. */
export interface Look {
  readonly server: string;
  readonly caFile: string;
  readonly token: string;
  /** of an object; the watch is on its collection */
  readonly path: string;
  /** what nobody attacks: how long that takes is the machine's doing */
  readonly elsewhere: string;
}

/** What a bystander has seen in a span of time. */
export interface Seen {
  begun: number;
  reads: number;
  slowestMs: number;
  slowestElsewhereMs: number;
  readonly failures: string[];
  eventsSeen: number;
}

/** Reads 50 times a second and watches, while somebody else does harm. */
export class Bystander {
  readonly #thread: Worker;

  private constructor(thread: Worker) {
    this.#thread = thread;
  }

  static async begin(look: Look): Promise<Bystander> {
    const thread = new Worker(new URL('./reader.ts', import.meta.url), { workerData: look });
    await once(thread, 'message');
    return new Bystander(thread);
  }

  /** What it has seen since it was last asked. */
  async saw(): Promise<Seen> {
    const answer = once(this.#thread, 'message');
    this.#thread.postMessage('what have you seen?');
    return (await answer)[0] as Seen;
  }

  async end(): Promise<void> {
    await this.#thread.terminate();
  }
}
