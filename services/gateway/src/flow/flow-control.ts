import { OptionError } from '@tidegate/options';
import { READ_ONLY, type RequestInfo } from '@tidegate/request-info';
import type { MetricRegistry } from '@tidegate/service-kit';
import type { FastifyReply } from 'fastify';
import { noteFlow } from '../answer/headers.ts';
import { writeText } from '../answer/write-answer.ts';
import { MASTERS } from '../authz/authorizer.ts';
import { durationMs } from '../configuration/duration.ts';
import { ClientCounters } from '../limits/client-allowances.ts';
import { IncomingBodies, type IncomingBodiesConfig } from '../limits/incoming-bodies.ts';
import type { Mirrors } from '../mirror/mirrors.ts';
import type { User } from '../request/user.ts';
import { DelayedRefusals } from './delayed-refusals.ts';
import { Turns } from './turns.ts';

export interface FlowControlConfig extends IncomingBodiesConfig {
  readonly enablePriorityAndFairness: boolean;
  readonly maxRequestsInflight: number;
  readonly maxMutatingRequestsInflight: number;
  readonly requestTimeout: string;
  readonly minRequestTimeout: number;
  readonly maxWatchesPerUser: number;
}

interface Asking {
  readonly user: User;
  readonly info: RequestInfo;
  readonly audit: string;
  readonly reply: FastifyReply;
  /** of its body, as its head says */
  readonly bodyBytes: number;
  /** how long it may wait */
  readonly patienceMs: number;
}

/** Refusals say that a client should come again after a second: for this second they are held back. */
const RETRY_MS = 1000;
const TOO_MANY = 'Too many requests, please try again later.\n';

function tooManyWatches({ name }: User, most: number): string {
  return `Too many watches of user ${JSON.stringify(name)} are open here (the limit is ${most}): please use fewer.\n`;
}

/** How many requests are served at a time, and whose. */
export class FlowControl {
  /** undefined where priority and fairness is off */
  readonly turns: Turns | undefined;
  /** how long a request may take that is no watch */
  readonly requestMs: number;
  /** a watch that does not say so takes as long, or up to twice */
  readonly shortestWatchMs: number;
  readonly bodies: IncomingBodies;
  readonly #maxima: PlainMaxima;
  readonly #held = new DelayedRefusals();
  readonly #unauthenticated = new DelayedRefusals();
  readonly #watches = new ClientCounters();
  readonly #mostWatches: number;

  constructor(config: FlowControlConfig, parts: { mirrors: Mirrors; registry: MetricRegistry }) {
    const { maxRequestsInflight: reads, maxMutatingRequestsInflight: writes } = config;
    this.#maxima = new PlainMaxima({ reads, writes });
    this.#mostWatches = config.maxWatchesPerUser;
    const bodies = new IncomingBodies(config);
    this.bodies = bodies;
    parts.registry.gauge({
      name: 'tidegate_gateway_incoming_body_bytes',
      help: 'What is here of request bodies that are not complete.',
      collect() {
        this.set(bodies.bytes);
      },
    });
    this.requestMs = requestMsOf(config.requestTimeout);
    this.shortestWatchMs = config.minRequestTimeout * 1000;
    const isOn = config.enablePriorityAndFairness && reads + writes > 0;
    this.turns = isOn ? new Turns({ ...parts, seats: reads + writes }) : undefined;
  }

  start(): void {
    this.turns?.start();
  }

  stop(): void {
    this.turns?.stop();
  }

  /** Serves the request when it is its turn, or tells the client to come again. Answers the code. */
  async serve(asking: Asking, serve: () => Promise<number>): Promise<number> {
    const { user, info, reply, patienceMs, bodyBytes } = asking;
    if (info.verb === 'watch' && !this.#mayWatch(asking))
      return this.#refuse(asking, tooManyWatches(user, this.#mostWatches));
    if (this.turns === undefined) return this.#servePlainly(asking, serve);
    const turn = this.turns.ask(user, info, bodyBytes);
    const { ticket, schema } = turn;
    noteFlow(reply.raw, schema);
    if (ticket.state === 'waiting') await this.turns.settled(turn, reply.raw, patienceMs);
    if (ticket.state !== 'seated') return this.#refuse(asking);
    try {
      return await serve();
    } finally {
      this.turns.leave(turn);
    }
  }

  /** Who cannot say who they are is of no flow: when there are many of them, their answers wait for each other. */
  delayUnauthenticated(): Promise<void> {
    return this.#unauthenticated.hold();
  }

  async #servePlainly(asking: Asking, serve: () => Promise<number>): Promise<number> {
    const { user, info } = asking;
    if (user.groups.includes(MASTERS)) return serve();
    const leave = this.#maxima.enter(info.verb);
    if (leave === undefined) return this.#refuse(asking);
    try {
      return await serve();
    } finally {
      leave();
    }
  }

  /** Counts it until its end, however it ends. */
  #mayWatch({ user, reply: { raw } }: Asking): boolean {
    if (this.#mostWatches === 0 || user.groups.includes(MASTERS)) return true;
    if (this.#watches.of(user.name) >= this.#mostWatches) return false;
    this.#watches.enter(user.name);
    raw.once('close', () => this.#watches.leave(user.name));
    return true;
  }

  async #refuse({ reply, audit }: Asking, text = TOO_MANY): Promise<number> {
    const seconds = this.turns?.retryAfterSeconds ?? RETRY_MS / 1000;
    await this.#held.hold(RETRY_MS);
    return writeText(audit, reply, 429, text, { headers: ['Retry-After', String(seconds)] });
  }
}

function requestMsOf(text: string): number {
  const ms = durationMs(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new OptionError(`--request-timeout must be a span of time like 60s or 1m30s, not ${JSON.stringify(text)}`);
}

interface Maxima {
  readonly reads: number;
  readonly writes: number;
}

/**
 * Two numbers for everybody, instead of priority and fairness. Nobody waits: who comes when so many are served is refused.
 *
 * Invariant: `#inFlight` counts the requests that entered and did not leave. A maximum of 0 is none.
 */
export class PlainMaxima {
  readonly #maxima: Maxima;
  readonly #inFlight = { reads: 0, writes: 0 };

  constructor(maxima: Maxima) {
    this.#maxima = maxima;
  }

  /** What to call when it is done; undefined: there is no room. */
  enter(verb: string): (() => void) | undefined {
    const sort = READ_ONLY.has(verb) ? 'reads' : 'writes';
    if (this.#maxima[sort] > 0 && this.#inFlight[sort] >= this.#maxima[sort]) return undefined;
    this.#inFlight[sort]++;
    return () => {
      this.#inFlight[sort]--;
    };
  }
}
