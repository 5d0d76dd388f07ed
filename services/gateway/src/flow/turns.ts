import type { EventEmitter } from 'node:events';
import { distinguisherOf, type NamedSchema, type SeatRequest, Seats, type Ticket } from '@tidegate/flow-control';
import type { RequestInfo } from '@tidegate/request-info';
import type { MetricRegistry } from '@tidegate/service-kit';
import type { Mirrors } from '../mirror/mirrors.ts';
import type { User } from '../request/user.ts';
import { Capacity, FEWEST_SEATS, Throughput } from './capacity.ts';
import { FlowMetrics } from './flow-metrics.ts';
import { FlowMirror } from './flow-mirror.ts';
import { type Known, seatsFor } from './work-estimate.ts';

interface TurnsOptions {
  readonly mirrors: Mirrors;
  readonly registry: MetricRegistry;
  readonly seats: number;
}

type Flow = Pick<SeatRequest, 'schema' | 'distinguisher'>;

/** Flows count as competing for this time after requests of several flows arrived. */
const SHARED_MS = 1000;

/** The part of a seated or waiting request that dumps show. */
export interface Asking {
  readonly user: User;
  readonly info: RequestInfo;
}

/** The schema and the ticket of one request. */
export interface Turn {
  readonly schema: NamedSchema;
  readonly ticket: Ticket;
}

/** Assigns requests to flows, and gives them their seats. */
export class Turns {
  readonly seats: Seats;
  readonly #flows: FlowMirror;
  readonly #metrics: FlowMetrics;
  readonly #capacity: Capacity;
  readonly #throughput = new Throughput();
  readonly #known: Known;
  #last: Flow | undefined;
  /** when a request of another flow than the previous one arrived */
  #mixedAt = Number.NEGATIVE_INFINITY;

  constructor({ mirrors, registry, seats }: TurnsOptions) {
    this.seats = new Seats({ seats });
    this.#metrics = new FlowMetrics(registry, this.seats);
    this.#flows = new FlowMirror({ mirrors, changed: ({ levels }) => this.seats.configure(levels) });
    this.#capacity = new Capacity({
      seats,
      scale: (now) => this.seats.scale(now),
      isWanted: () => this.seats.waiting > 0 || this.seats.inUse >= this.seats.seats,
      isBusy: () => this.seats.waiting > 0 || this.seats.inUse >= FEWEST_SEATS,
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

  /** Asks for seats: the ticket is seated, waiting or refused. The caller must return it with `leave`. */
  ask(user: User, info: RequestInfo, bodyBytes: number): Turn {
    this.#capacity.wake();
    const schema = this.#flows.classifier.schemaOf(user, info);
    const { name } = schema.level;
    const distinguisher = distinguisherOf(schema, user, info);
    this.#note({ schema: schema.name, distinguisher });
    const ticket = this.seats.request({
      level: name,
      schema: schema.name,
      distinguisher,
      seats: seatsFor(info, this.#known, bodyBytes),
      tally: this.#metrics.tallyOf(name, schema.name),
    });
    ticket.about = { user, info } satisfies Asking;
    return { schema, ticket };
  }

  /** Resolves when the ticket no longer waits. It leaves the queue after the timeout, or when the client disconnects. */
  settled({ ticket }: Turn, client: EventEmitter, maxWaitMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => this.seats.leave(ticket, 'time-out'), maxWaitMs);
    const gone = () => this.seats.leave(ticket, 'cancelled');
    client.on('close', gone);
    ticket.settled = () => {
      clearTimeout(timer);
      client.off('close', gone);
      resolve();
    };
    return promise;
  }

  /** The time in which the waiting requests will be served, at the current rate. */
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
