import { deal } from './deal.ts';
import type { Queuing } from './priority-level.ts';

/** What a request is charged when it is seated, in milliseconds of a seat; put right when it has gone. */
const GUESS_MS = 3;
/** How far a queue may be ahead that had little: who asks now and then does not wait for each queue of who always asks. */
const AHEAD_MS = 20;

export class Queue<Ticket> {
  readonly index: number;
  readonly waiting: Ticket[] = [];
  executing = 0;
  seatsInUse = 0;
  /** how much work it had, on the clock of its level: who had less is next */
  had = 0;

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
 * The queues of one level, fair by the work that each had (start-time fair queuing).
 *
 * Invariant: the level's clock stands where the queue stood that was served last, and a queue that was empty begins no more
 * than a little before: nobody saves up turns by asking for nothing. A queue's work is the time of its requests in their seats, as it was.
 *
 *   clock 40   queue a had 46: w w w      queue b had 40: w       the next is b's; then b has 43, and then it is a's
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

  isAs(queuing: Queuing | undefined): boolean {
    const { queues, handSize, queueLengthLimit } = this.#queuing;
    return queuing?.queues === queues && queuing.handSize === handSize && queuing.queueLengthLimit === queueLengthLimit;
  }

  /** Puts it into the shortest queue of its flow's hand; false: that is full. */
  enter(ticket: Ticket): boolean {
    const { queues, handSize, queueLengthLimit } = this.#queuing;
    let chosen: Queue<Ticket> | undefined;
    for (const card of deal(ticket.flow, queues, handSize)) {
      const queue = this.queues[card] as Queue<Ticket>;
      if (chosen === undefined || loadOf(queue) < loadOf(chosen)) chosen = queue;
    }
    if (chosen === undefined || chosen.waiting.length >= queueLengthLimit) return false;
    if (chosen.waiting.length === 0) chosen.had = Math.max(chosen.had, this.#clock - AHEAD_MS);
    chosen.waiting.push(ticket);
    ticket.queue = chosen;
    this.waiting++;
    return true;
  }

  /** Whose turn it is; those that had the same take turns. */
  get next(): Ticket | undefined {
    let chosen: Queue<Ticket> | undefined;
    const { length } = this.queues;
    for (let i = 1; i <= length && this.waiting > 0; i++) {
      const queue = this.queues[(this.#last + i) % length] as Queue<Ticket>;
      if (queue.waiting.length > 0 && (chosen === undefined || queue.had < chosen.had)) chosen = queue;
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

  /** It has left its queue for a seat. */
  seated({ queue, seats }: Ticket): void {
    if (queue === undefined) return;
    this.#clock = Math.max(this.#clock, queue.had);
    this.#last = queue.index;
    queue.had += seats * GUESS_MS;
    queue.executing++;
    queue.seatsInUse += seats;
  }

  gone({ queue, seats }: Ticket, tookMs: number): void {
    if (queue === undefined) return;
    queue.had += seats * (tookMs - GUESS_MS);
    queue.executing--;
    queue.seatsInUse -= seats;
  }

  /** All that wait, in no order; they are in no queue any more. */
  dissolve(): Ticket[] {
    this.waiting = 0;
    return this.queues.flatMap(({ waiting }) => waiting.splice(0));
  }
}

function loadOf({ waiting, executing }: Queue<unknown>): number {
  return waiting.length + executing;
}
