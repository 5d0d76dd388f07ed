import type { NamedLevel } from './classifier.ts';
import { Level, type LevelTicket } from './level.ts';
import { type RejectionReason, type SeatRequest, Ticket } from './ticket.ts';

interface SeatsOptions {
  /** the seats of all levels together, while the process is not overloaded */
  readonly seats: number;
  readonly now?: () => number;
}

/**
 * The seats of one process, divided among priority levels. A request holds some of them while it is served.
 *
 * A level always gets its own seats, its nominal share of all. It may also borrow seats that other levels lend and do
 * not use, as long as the seats in use, and those that the other levels keep for themselves, are not more than all
 * seats. A seat is lent to one request and returns when that request ends: there is no lending period.
 *
 * Invariant: `inUse` and `waiting` are the sums over levels, and the number of each level is the sum over its
 * executing tickets. No level has waiting requests while it may seat the next of them.
 */
export class Seats {
  readonly #now: () => number;
  readonly #levels = new Map<string, Level>();
  readonly #configured: number;
  #seats: number;
  #inUse = 0;
  #waiting = 0;

  constructor({ seats, now = () => performance.now() }: SeatsOptions) {
    this.#configured = seats;
    this.#seats = seats;
    this.#now = now;
  }

  get levels(): Iterable<Level> {
    return this.#levels.values();
  }

  get seats(): number {
    return this.#seats;
  }

  get inUse(): number {
    return this.#inUse;
  }

  get waiting(): number {
    return this.#waiting;
  }

  configure(named: ReadonlyMap<string, NamedLevel>): void {
    for (const level of this.#levels.values()) if (!named.has(level.name)) level.isEnding = true;
    const unqueued: LevelTicket[] = [];
    for (const one of named.values()) {
      const level = this.#levels.get(one.name) ?? new Level(one.name);
      this.#levels.set(one.name, level);
      unqueued.push(...level.configure(one));
    }
    for (const level of this.#levels.values()) this.#dropEnded(level);
    this.scale(this.#seats);
    for (const ticket of unqueued) {
      this.#waiting--;
      ticket.request.tally.waiting--;
      ticket.request.tally.waitingSeats -= ticket.seats;
      this.#enter(ticket);
    }
    this.#seatWaiting();
  }

  /** Sets the number of seats. Requests keep the seats that they have. */
  scale(seats: number): void {
    this.#seats = seats;
    const all = [...this.#levels.values()];
    const shares = all.reduce((sum, level) => sum + level.shares, 0);
    for (const level of all) level.scale(seats, this.#configured, shares);
    this.#seatWaiting();
  }

  /**
   * Requests seats. The ticket is seated or rejected now, or calls `settled` later. The caller calls `leave` at the
   * end of the request.
   */
  request(request: SeatRequest): LevelTicket {
    const level = this.#levels.get(request.level) as Level;
    const ticket = new Ticket(level, request, this.#now());
    if (level.isExempt) {
      this.#seat(ticket);
      return ticket;
    }
    ticket.seats = Math.max(1, Math.min(ticket.seats, level.nominal));
    if (level.waiting === 0 && this.#maySeat(ticket)) this.#seat(ticket);
    else this.#enter(ticket);
    return ticket;
  }

  /** Returns the seats of a ticket, or removes it from its queue. */
  leave(ticket: LevelTicket, reason: RejectionReason = 'cancelled'): void {
    if (ticket.state === 'seated') {
      this.#unseat(ticket);
      this.#seatWaiting();
      if (ticket.level.isEnding) this.#dropEnded(ticket.level);
    } else if (ticket.state === 'waiting') {
      ticket.level.queues?.leave(ticket);
      this.#countWaited(ticket, false);
      this.#reject(ticket, reason);
      this.#seatWaiting();
    }
  }

  #enter(ticket: LevelTicket): void {
    const { level, request, seats } = ticket;
    ticket.queue = undefined;
    if (level.queues === undefined) {
      this.#reject(ticket, 'concurrency-limit');
      return;
    }
    if (!level.queues.enter(ticket)) {
      this.#reject(ticket, 'queue-full');
      return;
    }
    this.#waiting++;
    request.tally.waiting++;
    request.tally.waitingSeats += seats;
  }

  #maySeat({ level, seats }: LevelTicket): boolean {
    const wanted = level.seatsInUse + seats;
    // a request that needs more seats than its level has is served alone
    if (wanted <= level.nominal || (level.seatsInUse === 0 && level.nominal > 0)) return true;
    return wanted <= level.upper && this.#inUse + seats + this.#reservedBy(level) <= this.#seats;
  }

  /** The unused seats that the other levels never lend. */
  #reservedBy(borrower: Level): number {
    let reserved = 0;
    for (const level of this.#levels.values()) {
      if (level !== borrower) reserved += Math.max(0, level.lower - level.seatsInUse);
    }
    return reserved;
  }

  /**
   * Seats one request of each level in each round, so that no level borrows all seats before the others get candidates.
   */
  #seatWaiting(): void {
    for (let isDone = this.#waiting === 0; !isDone; ) {
      isDone = true;
      for (const level of this.#levels.values()) {
        const ticket = level.queues?.next;
        if (ticket === undefined || !this.#maySeat(ticket)) continue;
        level.queues?.leave(ticket);
        this.#countWaited(ticket, true);
        this.#seat(ticket);
        isDone = false;
      }
    }
  }

  #countWaited({ request, seats, arrivedMs }: LevelTicket, isSeated: boolean): void {
    this.#waiting--;
    request.tally.waiting--;
    request.tally.waitingSeats -= seats;
    request.tally.waited((this.#now() - arrivedMs) / 1000, isSeated);
  }

  #seat(ticket: LevelTicket): void {
    const { level, request, seats } = ticket;
    ticket.state = 'seated';
    ticket.seatedMs = this.#now();
    this.#inUse += seats;
    level.seatsInUse += seats;
    level.executing.add(ticket);
    level.dispatched++;
    level.queues?.seated(ticket);
    request.tally.executing++;
    request.tally.executingSeats += seats;
    request.tally.dispatched++;
    ticket.settled?.();
  }

  #unseat(ticket: LevelTicket): void {
    const { level, request, seats } = ticket;
    const tookMs = this.#now() - ticket.seatedMs;
    ticket.state = 'gone';
    this.#inUse -= seats;
    level.seatsInUse -= seats;
    level.executing.delete(ticket);
    level.queues?.unseated(ticket, tookMs);
    request.tally.executing--;
    request.tally.executingSeats -= seats;
    request.tally.served(tookMs / 1000);
  }

  #reject(ticket: LevelTicket, reason: RejectionReason): void {
    const { level, request } = ticket;
    ticket.state = 'rejected';
    if (reason === 'time-out') level.timedOut++;
    else if (reason === 'cancelled') level.cancelled++;
    else level.rejected++;
    request.tally.rejected(reason);
    ticket.settled?.();
  }

  #dropEnded(level: Level): void {
    if (level.isEnding && level.isIdle) this.#levels.delete(level.name);
  }
}
