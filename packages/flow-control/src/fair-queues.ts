import { deal } from './deal.ts';
import type { Queuing } from './priority-level.ts';

/**
 * The work that is charged for a request when it gets its seats, in milliseconds of one seat. It is corrected when
 * the request ends.
 */
const ESTIMATE_MS = 3;
/**
 * The maximum credit of a queue that was empty: an occasional request does not wait for each queue of a busy flow, and
 * an idle flow cannot accumulate credit.
 */
const MAX_CREDIT_MS = 20;

export class Queue<Ticket> {
  readonly index: number;
  readonly waiting: Ticket[] = [];
  executing = 0;
  seatsInUse = 0;
  /** the work that was done for it, on the clock of its level: the queue with the least work is next */
  servedMs = 0;

  constructor(index: number) {
    this.index = index;
  }
}

/** A request that waits in a queue, or has left one for its seats. */
interface Queued<Ticket> {
  /** requests of one flow are put into the same few queues */
  readonly flow: string;
  readonly seats: number;
  queue: Queue<Ticket> | undefined;
}

/**
 * The queues of one level, fair by the work that was done for each of them (start-time fair queuing).
 *
 * Invariant: the level's clock is the work of the queue that was served last. A queue that was empty starts no more
 * than a little before the clock, so that a flow without requests does not accumulate credit. The work of a queue is
 * the time for which its requests held their seats.
 *
 *   clock 40   queue a was served 46: w w w      queue b was served 40: w
 *
 * The next request is from b; then b was served 43, and the next one after that is from a.
 */
export class FairQueues<Ticket extends Queued<Ticket>> {
  readonly queues: ReadonlyArray<Queue<Ticket>>;
  readonly #queuing: Queuing;
  #clock = 0;
  #last = 0;
  waiting = 0;

  constructor(queuing: Queuing) {
    this.#queuing = queuing;
    this.queues = Array.from({ length: queuing.queues }, (_, index) => new Queue<Ticket>(index));
  }

  hasQueuing(queuing: Queuing | undefined): boolean {
    const { queues, handSize, queueLengthLimit } = this.#queuing;
    return queuing?.queues === queues && queuing.handSize === handSize && queuing.queueLengthLimit === queueLengthLimit;
  }

  /** Puts a request into the shortest queue of its flow's hand. The result is false when that queue is full. */
  enter(ticket: Ticket): boolean {
    const { queues, handSize, queueLengthLimit } = this.#queuing;
    let chosen: Queue<Ticket> | undefined;
    for (const card of deal(ticket.flow, queues, handSize)) {
      const queue = this.queues[card] as Queue<Ticket>;
      if (chosen === undefined || loadOf(queue) < loadOf(chosen)) chosen = queue;
    }
    if (chosen === undefined || chosen.waiting.length >= queueLengthLimit) return false;
    if (chosen.waiting.length === 0) chosen.servedMs = Math.max(chosen.servedMs, this.#clock - MAX_CREDIT_MS);
    chosen.waiting.push(ticket);
    ticket.queue = chosen;
    this.waiting++;
    return true;
  }

  /** The next request; queues with the same work take turns. */
  get next(): Ticket | undefined {
    let chosen: Queue<Ticket> | undefined;
    const { length } = this.queues;
    for (let i = 1; i <= length && this.waiting > 0; i++) {
      const queue = this.queues[(this.#last + i) % length] as Queue<Ticket>;
      if (queue.waiting.length > 0 && (chosen === undefined || queue.servedMs < chosen.servedMs)) chosen = queue;
    }
    return chosen?.waiting[0];
  }

  leave(ticket: Ticket): void {
    const waiting = ticket.queue?.waiting ?? [];
    const at = waiting.indexOf(ticket);
    if (at < 0) return;
    waiting.splice(at, 1);
    this.waiting--;
  }

  /** Charges a request that has left its queue for its seats. */
  seated({ queue, seats }: Ticket): void {
    if (queue === undefined) return;
    this.#clock = Math.max(this.#clock, queue.servedMs);
    this.#last = queue.index;
    queue.servedMs += seats * ESTIMATE_MS;
    queue.executing++;
    queue.seatsInUse += seats;
  }

  unseated({ queue, seats }: Ticket, tookMs: number): void {
    if (queue === undefined) return;
    queue.servedMs += seats * (tookMs - ESTIMATE_MS);
    queue.executing--;
    queue.seatsInUse -= seats;
  }

  /** Removes all waiting requests from their queues, and returns them in no particular order. */
  dissolve(): Ticket[] {
    this.waiting = 0;
    return this.queues.flatMap(({ waiting }) => waiting.splice(0));
  }
}

function loadOf({ waiting, executing }: Queue<unknown>): number {
  return waiting.length + executing;
}
