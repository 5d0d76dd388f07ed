import type { EventEmitter } from 'node:events';
import { constants, type Http2Session, type ServerHttp2Session } from 'node:http2';
import type { User } from '../authn/user.ts';
import { UNAUTHENTICATED } from '../authn/user.ts';

/** at a time on one connection: of somebody who is known, and of others */
const STREAMS = 250;
export const STREAMS_OF_STRANGERS = 100;
/** A client takes back a request now and then: so many at once, and so many a second. */
const RESETS = 200;
const RESETS_PER_SECOND = 50;
const TAKEN_BACK: ReadonlySet<number | undefined> = new Set([
  constants.NGHTTP2_CANCEL,
  constants.NGHTTP2_REFUSED_STREAM,
]);
/** Node takes a code as well as an error; its types do not know it. */
const CALM_DOWN = constants.NGHTTP2_ENHANCE_YOUR_CALM as unknown as Error;
/** A connection on which nothing is asked for so long is closed. */
const IDLE_MS = 90_000;

interface SessionsOptions {
  /** how likely a request is the last one of its connection, so that clients spread over gateways again */
  readonly goAwayChance: number;
  readonly now?: () => number;
}

/** One connection, as far as it is looked at. */
class Watched {
  open = 0;
  isWelcome = false;
  #left = RESETS;
  #at: number;

  constructor(now: number) {
    this.#at = now;
  }

  /** A request was taken back; false: too many were. */
  reset(now: number): boolean {
    this.#left = Math.min(RESETS, this.#left + ((now - this.#at) / 1000) * RESETS_PER_SECOND) - 1;
    this.#at = now;
    return this.#left >= 0;
  }
}

/**
 * What a client may do with an HTTP/2 connection. To ask and to take it back at once costs it nothing, and this process a
 * request: who does that more often than programs do is told to calm down, and its connection is closed.
 *
 * Invariant: `open` of each connection counts its streams; idle ones have none.
 */
export class Http2Sessions {
  readonly #goAwayChance: number;
  readonly #now: () => number;
  readonly #watched = new WeakMap<Http2Session, Watched>();

  constructor(server: EventEmitter, { goAwayChance, now = () => performance.now() }: SessionsOptions) {
    this.#goAwayChance = goAwayChance;
    this.#now = now;
    server.on('session', (session: ServerHttp2Session) => this.#watch(session));
  }

  /** Who sends a request is known now, or is nobody. */
  known(raw: object, user: Pick<User, 'groups'> | undefined): void {
    const session = sessionOf(raw);
    if (session === undefined) return;
    // as in kube-apiserver: a connection of nobody in particular is good for what was begun on it
    if (user === undefined || user.groups.includes(UNAUTHENTICATED)) {
      session.close();
      return;
    }
    const watched = this.#watched.get(session);
    if (watched?.isWelcome === false) {
      watched.isWelcome = true;
      session.settings({ maxConcurrentStreams: STREAMS });
    }
    if (this.#goAwayChance > 0 && Math.random() < this.#goAwayChance) session.close();
  }

  #watch(session: ServerHttp2Session): void {
    const watched = new Watched(this.#now());
    this.#watched.set(session, watched);
    // a connection that ends badly is its client's affair
    session.on('error', () => {});
    session.on('stream', (stream) => {
      const ended = () => {
        // who ends a watch has heard its beginning
        if (stream.headersSent || !TAKEN_BACK.has(stream.rstCode)) return;
        // not while Node reads the reset: it could free the stream twice
        if (!watched.reset(this.#now())) setImmediate(() => session.destroy(CALM_DOWN));
      };
      // taken back in the same breath: it is not heard of again
      if (stream.closed || stream.destroyed) return ended();
      watched.open++;
      stream.on('close', () => {
        watched.open--;
        ended();
      });
    });
    session.setTimeout(IDLE_MS, () => {
      if (watched.open === 0) session.close();
    });
  }
}

function sessionOf(raw: object): ServerHttp2Session | undefined {
  const session = (raw as { stream?: { session?: ServerHttp2Session } }).stream?.session;
  return session === undefined || session.closed || session.destroyed ? undefined : session;
}
