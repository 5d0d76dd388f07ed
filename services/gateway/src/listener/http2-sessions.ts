import type { EventEmitter } from 'node:events';
import { constants, type Http2Session, type ServerHttp2Session } from 'node:http2';
import { Allowances } from '../limits/client-allowances.ts';
import { UNAUTHENTICATED, type User } from '../request/user.ts';

/** at a time on one connection: of somebody who is known, and of others */
const STREAMS = 250;
export const STREAMS_OF_STRANGERS = 100;
/** A client takes back a request now and then. Many programs may be behind one address. */
const RESETS_OF_USER = { burst: 500, perSecond: 100 };
const RESETS_OF_ADDRESS = { burst: 1000, perSecond: 250 };
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
interface Watched {
  open: number;
  /** whose requests came on it; undefined: it is not known yet */
  user: string | undefined;
  readonly address: string;
}

/**
 * What a client may do with an HTTP/2 connection. To ask and to take it back at once costs it nothing, and this process a
 * request: who does that more often than programs do is told to calm down, and its connection is closed; so is the next one,
 * until some time has passed.
 *
 * Invariant: `open` of each connection counts its streams; idle ones have none.
 */
export class Http2Sessions {
  readonly #goAwayChance: number;
  readonly #resetsOfUsers: Allowances;
  readonly #resetsOfAddresses: Allowances;
  readonly #watched = new WeakMap<Http2Session, Watched>();

  constructor(server: EventEmitter, { goAwayChance, now = () => performance.now() }: SessionsOptions) {
    this.#goAwayChance = goAwayChance;
    this.#resetsOfUsers = new Allowances(RESETS_OF_USER, now);
    this.#resetsOfAddresses = new Allowances(RESETS_OF_ADDRESS, now);
    server.on('session', (session: ServerHttp2Session) => this.#watch(session));
  }

  /** Who sends a request is known now, or is nobody. */
  known(raw: object, user: Pick<User, 'name' | 'groups'> | undefined): void {
    const session = sessionOf(raw);
    if (session === undefined) return;
    // as in kube-apiserver: a connection of nobody in particular is good for what was begun on it
    if (user === undefined || user.groups.includes(UNAUTHENTICATED)) {
      session.close();
      return;
    }
    const watched = this.#watched.get(session);
    if (watched !== undefined) {
      if (watched.user === undefined) session.settings({ maxConcurrentStreams: STREAMS });
      watched.user = user.name;
      if (this.#resetsOfUsers.isSpent(user.name)) calmDown(session);
    }
    if (this.#goAwayChance > 0 && Math.random() < this.#goAwayChance) session.close();
  }

  #watch(session: ServerHttp2Session): void {
    // a connection that ends badly is its client's affair
    session.on('error', () => {});
    const watched: Watched = { open: 0, user: undefined, address: session.socket?.remoteAddress ?? '' };
    this.#watched.set(session, watched);
    if (this.#resetsOfAddresses.isSpent(watched.address)) {
      calmDown(session);
      return;
    }
    session.on('stream', (stream) => {
      const ended = () => {
        // who ends a watch has heard its beginning
        if (stream.headersSent || !TAKEN_BACK.has(stream.rstCode)) return;
        if (!this.#mayReset(watched)) calmDown(session);
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

  #mayReset({ user, address }: Watched): boolean {
    // strangers of one address are one; no user has such a name
    const ofUser = this.#resetsOfUsers.take(user ?? `\0${address}`);
    return this.#resetsOfAddresses.take(address) && ofUser;
  }
}

/** Not while Node reads a reset: it could free the stream twice. */
function calmDown(session: Http2Session): void {
  setImmediate(() => session.destroy(CALM_DOWN));
}

function sessionOf(raw: object): ServerHttp2Session | undefined {
  const session = (raw as { stream?: { session?: ServerHttp2Session } }).stream?.session;
  return session === undefined || session.closed || session.destroyed ? undefined : session;
}
