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
  /** the size of the body according to the headers */
  readonly bodyBytes: number;
  /** how long it may wait for a seat */
  readonly maxWaitMs: number;
}

/** Refusals ask clients to retry after a second, and are delayed by this second. */
const RETRY_MS = 1000;
const TOO_MANY = 'Too many requests, please try again later.\n';

function tooManyWatches({ name }: User, most: number): string {
  return `Too many watches of user ${JSON.stringify(name)} are open here (the limit is ${most}): please use fewer.\n`;
}

/** Limits the number of requests that are served at a time, and shares it among flows. */
export class FlowControl {
  /** undefined: priority and fairness is off */
  readonly turns: Turns | undefined;
  /** the timeout of requests other than watches */
  readonly requestMs: number;
  /** a watch without a timeout ends after a random time between this and twice this */
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
      help: 'The received bytes of incomplete request bodies.',
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

  /** Serves the request when it gets seats, or refuses it with 429. Returns the status code. */
  async serve(asking: Asking, serve: () => Promise<number>): Promise<number> {
    const { user, info, reply, maxWaitMs, bodyBytes } = asking;
    if (info.verb === 'watch' && !this.#mayWatch(asking))
      return this.#refuse(asking, tooManyWatches(user, this.#mostWatches));
    if (this.turns === undefined) return this.#servePlainly(asking, serve);
    const turn = this.turns.ask(user, info, bodyBytes);
    const { ticket, schema } = turn;
    noteFlow(reply.raw, schema);
    if (ticket.state === 'waiting') await this.turns.settled(turn, reply.raw, maxWaitMs);
    if (ticket.state !== 'seated') return this.#refuse(asking);
    try {
      return await serve();
    } finally {
      this.turns.leave(turn);
    }
  }

  /** Requests that fail authentication (401) are not assigned to a flow; when they are many, their answers are delayed. */
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

  /** Counts the watch until its connection closes. */
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
 * Two fixed maxima, which replace priority and fairness. Requests never wait: those above the maximum are refused.
 *
 * Invariant: `#inFlight` counts the requests that entered and did not leave. A maximum of 0 means no limit.
 */
export class PlainMaxima {
  readonly #maxima: Maxima;
  readonly #inFlight = { reads: 0, writes: 0 };

  constructor(maxima: Maxima) {
    this.#maxima = maxima;
  }

  /** Returns the function to call at the end; undefined: the maximum is reached. */
  enter(verb: string): (() => void) | undefined {
    const sort = READ_ONLY.has(verb) ? 'reads' : 'writes';
    if (this.#maxima[sort] > 0 && this.#inFlight[sort] >= this.#maxima[sort]) return undefined;
    this.#inFlight[sort]++;
    return () => {
      this.#inFlight[sort]--;
    };
  }
}
