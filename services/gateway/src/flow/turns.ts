import type { EventEmitter } from 'node:events';
import { distinguisherOf, type NamedSchema, type SeatRequest, Seats, type Ticket } from '@tidegate/flow-control';
import type { RequestInfo } from '@tidegate/request-info';
import type { MetricRegistry } from '@tidegate/service-kit';
import type { Mirrors } from '../mirror/mirrors.ts';
import type { User } from '../request/user.ts';
import { Capacity, Throughput } from './capacity.ts';
import { FlowMetrics } from './flow-metrics.ts';
import { FlowMirror } from './flow-mirror.ts';
import { type Known, seatsFor } from './work-estimate.ts';

interface TurnsOptions {
  readonly mirrors: Mirrors;
  readonly registry: MetricRegistry;
  readonly seats: number;
}

type Flow = Pick<SeatRequest, 'schema' | 'distinguisher'>;

/** So long after requests of several flows have come, one of them may not have all there is. */
const SHARED_MS = 1000;

/** What a dump shows of a request that has a ticket. */
export interface Asking {
  readonly user: User;
  readonly info: RequestInfo;
}

/** One request's turn, and what it tells its client of it. */
export interface Turn {
  readonly schema: NamedSchema;
  readonly ticket: Ticket;
}

/** Whose turn it is: which flow a request is of, and when it has its seats. */
export class Turns {
  readonly seats: Seats;
  readonly #flows: FlowMirror;
  readonly #metrics: FlowMetrics;
  readonly #capacity: Capacity;
  readonly #throughput = new Throughput();
  readonly #known: Known;
  #last: Flow | undefined;
  /** when a request of another flow than the one before has come */
  #mixedAt = Number.NEGATIVE_INFINITY;

  constructor({ mirrors, registry, seats }: TurnsOptions) {
    this.seats = new Seats({ seats });
    this.#metrics = new FlowMetrics(registry, this.seats);
    this.#flows = new FlowMirror({ mirrors, changed: ({ levels }) => this.seats.configure(levels) });
    this.#capacity = new Capacity({
      seats,
      scale: (now) => this.seats.scale(now),
      isWanted: () => this.seats.waiting > 0 || this.seats.inUse >= this.seats.seats,
      isBusy: () => this.seats.inUse > 0,
      isShared: () => performance.now() - this.#mixedAt < SHARED_MS,
    });
    this.#known = {
      collection: (resource) => mirrors.peek(resource),
      watchers: (resource) => mirrors.watchers(resource),
    };
  }

  start(): void {
    this.#flows.start();
  }

  stop(): void {
    this.#capacity.stop();
  }

  /** It has its seats, waits for them, or is refused. Whoever asks gives them back, by `leave`. */
  ask(user: User, info: RequestInfo, bodyBytes: number): Turn {
    this.#capacity.wake();
    const schema = this.#flows.classifier.schemaOf(user, info);
    const { name } = schema.level;
    const distinguisher = distinguisherOf(schema, user, info);
    this.#note({ schema: schema.name, distinguisher });
    const ticket = this.seats.ask({
      level: name,
      schema: schema.name,
      distinguisher,
      seats: seatsFor(info, this.#known, bodyBytes),
      tally: this.#metrics.tallyOf(name, schema.name),
    });
    ticket.about = { user, info } satisfies Asking;
    return { schema, ticket };
  }

  /** Resolves when it does not wait any more. Who does not come to its turn in time, or goes away, loses its place. */
  settled({ ticket }: Turn, client: EventEmitter, patienceMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => this.seats.leave(ticket, 'time-out'), patienceMs);
    const gone = () => this.seats.leave(ticket, 'cancelled');
    client.on('close', gone);
    ticket.settled = () => {
      clearTimeout(timer);
      client.off('close', gone);
      resolve();
    };
    return promise;
  }

  /** In how many seconds those that wait now will have been served, as fast as others were in the last seconds. */
  get retryAfterSeconds(): number {
    return this.#throughput.secondsFor(this.seats.waiting);
  }

  leave({ ticket }: Turn): void {
    this.#throughput.note();
    this.seats.leave(ticket);
  }

  #note(flow: Flow): void {
    const last = this.#last ?? flow;
    if (flow.schema !== last.schema || flow.distinguisher !== last.distinguisher) this.#mixedAt = performance.now();
    this.#last = flow;
  }
}
