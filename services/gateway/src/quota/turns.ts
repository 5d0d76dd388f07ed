import { Turnstile } from '../rules/turnstile.ts';

interface Queue {
  readonly turnstile: Turnstile;
  inIt: number;
}

/** One at a time in each namespace. Invariant: a queue is there only while somebody is in it. */
export class Turns {
  readonly #queues = new Map<string, Queue>();

  async pass<T>(namespace: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(namespace) ?? { turnstile: new Turnstile(1), inIt: 0 };
    this.#queues.set(namespace, queue);
    queue.inIt++;
    try {
      return await queue.turnstile.pass(work);
    } finally {
      if (--queue.inIt === 0) this.#queues.delete(namespace);
    }
  }
}
