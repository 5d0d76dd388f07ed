import type { EventEmitter } from 'node:events';
import { constants, type Http2Session, type ServerHttp2Session } from 'node:http2';
import { Allowances } from '../limits/client-allowances.ts';
import { UNAUTHENTICATED, type User } from '../request/user.ts';

/** streams at a time on one connection: of an authenticated user, and before authentication */
const STREAMS = 250;
export const UNAUTHENTICATED_STREAMS = 100;
/** Clients reset a stream now and then. Many programs may share one address. A client in debt cannot connect. */
const RESETS_OF_USER = { burst: 500, perSecond: 100, maxDebt: 500 };
const RESETS_OF_ADDRESS = { burst: 1000, perSecond: 250, maxDebt: 1000 };
/** A client may reset all its streams at once. The HTTP/2 library enforces this limit before any JavaScript runs. */
export const RESETS_OF_CONNECTION = {
  streamResetBurst: STREAMS,
  streamResetRate: RESETS_OF_USER.perSecond,
};
const RESET_CODES: ReadonlySet<number | undefined> = new Set([
  constants.NGHTTP2_CANCEL,
  constants.NGHTTP2_REFUSED_STREAM,
]);
/** Node accepts a code in place of an error; its types do not declare that. */
const ENHANCE_YOUR_CALM = constants.NGHTTP2_ENHANCE_YOUR_CALM as unknown as Error;
/** An idle connection is closed after this time. */
const IDLE_MS = 90_000;

interface SessionsOptions {
  /**
   * the probability that a request is the last one of its connection, so that clients spread over the gateways again
   */
  readonly goAwayChance: number;
  readonly now?: () => number;
}

/** The state of one connection. */
interface SessionState {
  open: number;
  /** The client exceeded a limit: its further requests are dropped until the connection is destroyed. */
  isCondemned: boolean;
  /** the user of its requests; undefined: not authenticated yet */
  user: string | undefined;
  readonly address: string;
}

/**
 * The limits of HTTP/2 connections. Sending a request and resetting it at once costs the client nothing, but costs this
 * process a request. A client that resets more than programs normally do gets ENHANCE_YOUR_CALM, and the connection is
 * closed, as are its next ones until some time has passed. A request that was reset before its turn is not served.
 *
 * Invariant: `open` of each connection counts its streams; idle connections have none.
 */
export class Http2Sessions {
  readonly #goAwayChance: number;
  readonly #resetsOfUsers: Allowances;
  readonly #resetsOfAddresses: Allowances;
  readonly #states = new WeakMap<Http2Session, SessionState>();

  constructor(server: EventEmitter, { goAwayChance, now = () => performance.now() }: SessionsOptions) {
    this.#goAwayChance = goAwayChance;
    this.#resetsOfUsers = new Allowances(RESETS_OF_USER, now);
    this.#resetsOfAddresses = new Allowances(RESETS_OF_ADDRESS, now);
    server.on('session', (session: ServerHttp2Session) => this.#watch(session));
  }

  /** Reports the user of a request; undefined: authentication failed. */
  setUser(raw: object, user: Pick<User, 'name' | 'groups'> | undefined): void {
    const session = sessionOf(raw);
    if (session === undefined) return;
    // as in kube-apiserver: an unauthenticated connection serves only the requests that have begun
    if (user === undefined || user.groups.includes(UNAUTHENTICATED)) {
      session.close();
      return;
    }
    const state = this.#states.get(session);
    if (state !== undefined) {
      if (state.user === undefined) session.settings({ maxConcurrentStreams: STREAMS });
      state.user = user.name;
      if (this.#resetsOfUsers.isSpent(user.name)) condemn(session, state);
    }
    if (this.#goAwayChance > 0 && Math.random() < this.#goAwayChance) session.close();
  }

  #watch(session: ServerHttp2Session): void {
    // a broken connection is not an error of the server
    session.on('error', ignored);
    const address = session.socket?.remoteAddress ?? '';
    const state: SessionState = { open: 0, isCondemned: false, user: undefined, address };
    this.#states.set(session, state);
    if (this.#resetsOfAddresses.isSpent(address)) {
      session.destroy(ENHANCE_YOUR_CALM);
      return;
    }
    const serve = session.listeners('stream');
    session.removeAllListeners('stream');
    session.on('stream', (stream, ...head) => {
      // a stream ends with the error of its session
      stream.on('error', ignored);
      if (state.isCondemned) return;
      const ended = () => {
        // ending a watch is not a reset: its headers were sent
        if (stream.headersSent || !RESET_CODES.has(stream.rstCode)) return;
        if (!this.#mayReset(state)) condemn(session, state);
      };
      // the stream was reset before this event: there will be no close event
      if (stream.closed || stream.destroyed) return ended();
      state.open++;
      stream.on('close', () => {
        state.open--;
        ended();
      });
      for (const listener of serve) listener.call(session, stream, ...head);
    });
    session.setTimeout(IDLE_MS, () => {
      if (state.open === 0) session.close();
    });
  }

  #mayReset({ user, address }: SessionState): boolean {
    // unauthenticated clients of one address share a limit; no user name starts with a zero byte
    const ofUser = this.#resetsOfUsers.take(user ?? `\0${address}`);
    return this.#resetsOfAddresses.take(address) && ofUser;
  }
}

function ignored(): void {}

/** Deferred: destroying the session while Node processes a reset could free the stream twice. */
function condemn(session: Http2Session, state: SessionState): void {
  if (state.isCondemned) return;
  state.isCondemned = true;
  setImmediate(() => session.destroy(ENHANCE_YOUR_CALM));
}

function sessionOf(raw: object): ServerHttp2Session | undefined {
  const session = (raw as { stream?: { session?: ServerHttp2Session } }).stream?.session;
  return session === undefined || session.closed || session.destroyed ? undefined : session;
}
