import { Semaphore } from '@tidegate/service-kit';

interface Queue {
  readonly semaphore: Semaphore;
  tasks: number;
}

/** Runs one task at a time in each namespace. Invariant: a queue exists only while it has tasks. */
export class NamespaceQueues {
  readonly #queues = new Map<string, Queue>();

  async run<T>(namespace: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(namespace) ?? { semaphore: new Semaphore(1), tasks: 0 };
    this.#queues.set(namespace, queue);
    queue.tasks++;
    try {
      return await queue.semaphore.run(work);
    } finally {
      if (--queue.tasks === 0) this.#queues.delete(namespace);
    }
  }
}
