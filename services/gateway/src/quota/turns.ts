import { Semaphore } from '@tidegate/service-kit';

interface Queue {
  readonly semaphore: Semaphore;
  inIt: number;
}

/** One at a time in each namespace. Invariant: a queue is there only while somebody is in it. */
export class Turns {
  readonly #queues = new Map<string, Queue>();

  async pass<T>(namespace: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(namespace) ?? { semaphore: new Semaphore(1), inIt: 0 };
    this.#queues.set(namespace, queue);
    queue.inIt++;
    try {
      return await queue.semaphore.pass(work);
    } finally {
      if (--queue.inIt === 0) this.#queues.delete(namespace);
    }
  }
}
