import type { Queue } from './fair-queues.ts';

export type RefusedBecause = 'queue-full' | 'concurrency-limit' | 'time-out' | 'cancelled';

/** What somebody who counts wants to know of the requests of one schema in one level. */
export interface FlowTally {
  executing: number;
  executingSeats: number;
  waiting: number;
  waitingSeats: number;
  /** how many ever got their seats */
  dispatched: number;
  refused(because: RefusedBecause): void;
  /** one has left its queue: for its seat, or without one */
  waited(seconds: number, isSeated: boolean): void;
  /** one has left its seat */
  served(seconds: number): void;
}

export interface SeatRequest {
  readonly level: string;
  readonly schema: string;
  readonly distinguisher: string;
  readonly seats: number;
  readonly tally: FlowTally;
}

/**
 * One request's way to its seats. Invariant: it goes through these states in one direction, and holds seats in one of them.
 *
 *   waiting → seated → gone
 *      └────→ refused
 */
export class Ticket<Level extends { readonly name: string }> {
  readonly level: Level;
  readonly request: SeatRequest;
  readonly arrivedMs: number;
  state: 'waiting' | 'seated' | 'gone' | 'refused' = 'waiting';
  /** what it holds, or waits for: no more than its level has */
  seats: number;
  queue: Queue<Ticket<Level>> | undefined;
  seatedMs = 0;
  /** called once when it does not wait any more */
  settled: (() => void) | undefined;
  /** what dumps show of it */
  about: unknown;

  constructor(level: Level, request: SeatRequest, arrivedMs: number) {
    this.level = level;
    this.request = request;
    this.arrivedMs = arrivedMs;
    this.seats = request.seats;
  }

  get flow(): string {
    return `${this.request.schema}\0${this.request.distinguisher}`;
  }
}
