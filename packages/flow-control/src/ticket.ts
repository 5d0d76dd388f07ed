import type { Queue } from './fair-queues.ts';

export type RejectionReason = 'queue-full' | 'concurrency-limit' | 'time-out' | 'cancelled';

/** Receives the numbers of one schema in one level, for metrics. */
export interface FlowTally {
  executing: number;
  executingSeats: number;
  waiting: number;
  waitingSeats: number;
  /** the number of requests that got their seats so far */
  dispatched: number;
  rejected(reason: RejectionReason): void;
  /** called for each request that leaves its queue, with or without seats */
  waited(seconds: number, isSeated: boolean): void;
  /** called for each request that returns its seats */
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
 * The states of one request on the way to its seats. Invariant: the state changes only in these directions, and the
 * request holds seats in one state.
 *
 *   waiting → seated → gone
 *      └────→ rejected
 */
export class Ticket<Level extends { readonly name: string }> {
  readonly level: Level;
  readonly request: SeatRequest;
  readonly arrivedMs: number;
  state: 'waiting' | 'seated' | 'gone' | 'rejected' = 'waiting';
  /** the seats that it holds or waits for: no more than its level has */
  seats: number;
  queue: Queue<Ticket<Level>> | undefined;
  seatedMs = 0;
  /** called once when the ticket is seated or rejected */
  settled: (() => void) | undefined;
  /** details of the request for dumps */
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
