import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** What a bystander reads and watches. */
export interface BystanderTarget {
  readonly server: string;
  readonly caFile: string;
  readonly token: string;
  /** path of the object that it reads; it watches the object's collection */
  readonly path: string;
  /** URL of a part that is not attacked; slow answers there are caused by the machine */
  readonly controlUrl: string;
}

/** What a bystander measured in a span of time. */
export interface Observation {
  startedReads: number;
  finishedReads: number;
  slowestMs: number;
  slowestControlMs: number;
  readonly failures: string[];
  events: number;
}

/** A client that reads 50 times a second and watches during an attack. */
export class Bystander {
  readonly #thread: Worker;

  private constructor(thread: Worker) {
    this.#thread = thread;
  }

  static async start(target: BystanderTarget): Promise<Bystander> {
    const thread = new Worker(new URL('./bystander-thread.ts', import.meta.url), { workerData: target });
    await once(thread, 'message');
    return new Bystander(thread);
  }

  /** What it measured since the last call. */
  async observation(): Promise<Observation> {
    const answer = once(this.#thread, 'message');
    this.#thread.postMessage('report');
    return (await answer)[0] as Observation;
  }

  async stop(): Promise<void> {
    await this.#thread.terminate();
  }
}
