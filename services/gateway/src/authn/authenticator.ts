import type { IncomingMessage } from 'node:http';
import { unauthorized } from '@tidegate/status';
import { anonymous, type User } from '../request/user.ts';
import type { BearerTokens } from './bearer-tokens.ts';
import type { Connections, Peer } from './connections.ts';
import type { FrontProxyHeaders } from './front-proxy.ts';
import { bearerOf } from './token-authority.ts';

/** Where those may ask who say nothing of themselves; what they may there is for roles. */
export type AnonymousPaths = 'all' | { readonly exact: ReadonlySet<string>; readonly below: readonly string[] };

/** Health and the version. */
export const USUAL_PATHS: AnonymousPaths = {
  exact: new Set(['/livez', '/readyz', '/healthz', '/version']),
  below: ['/livez/', '/readyz/', '/healthz/', '/version/'],
};

export const NOWHERE: AnonymousPaths = { exact: new Set(), below: [] };

/** undefined: not here. */
export function anonymousAt(url: string, paths: AnonymousPaths): User | undefined {
  if (paths === 'all') return anonymous;
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  if (paths.exact.has(path)) return anonymous;
  // what leads out again is not below
  return !path.includes('..') && paths.below.some((prefix) => path.startsWith(prefix)) ? anonymous : undefined;
}

interface AuthenticatorOptions {
  readonly connections: Connections;
  /** undefined: no front proxy is believed */
  readonly frontProxy: FrontProxyHeaders | undefined;
  readonly tokens: BearerTokens;
  readonly anonymous: AnonymousPaths;
  /** why somebody is not known, for the logs alone */
  readonly told: (why: string) => void;
}

/**
 * Who sends a request, in kube-apiserver's order: whom a front proxy names, whose certificate was shown, whose token was
 * sent; and nobody in particular, where that is allowed.
 *
 * Invariant: who tries to be somebody and fails is nobody, not somebody else: a token that nobody knows, or a certificate
 * that proves nothing, is 401 and never anonymous.
 */
export class Authenticator {
  readonly #options: AuthenticatorOptions;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  async authenticate(request: IncomingMessage): Promise<User> {
    const { connections, frontProxy, anonymous } = this.#options;
    const peer = connections.of(request);
    const said = frontProxy?.take(request) ?? [];
    if (peer.kind === 'front-proxy' && said.length > 0) {
      const user = frontProxy?.user(said);
      if (user === 'ambiguous') throw this.#refused('a front proxy names more than one user');
      if (user !== undefined) return user;
    }
    const proven = await this.#proven(request, peer);
    if (proven !== undefined) return proven;
    if (peer.kind === 'stranger') throw this.#refused(peer.why);
    if (peer.kind === 'front-proxy') throw this.#refused('a front proxy names no user');
    const nobody = anonymousAt(request.url ?? '', anonymous);
    if (nobody === undefined) throw unauthorized(new Error('the request has no name, which this path asks for'));
    return nobody;
  }

  /**
   * Who sends a request by a certificate or a token of their own; what a front proxy says does not count, and stays on the
   * request. undefined: they show neither.
   */
  async sender(request: IncomingMessage): Promise<User | undefined> {
    const peer = this.#options.connections.of(request);
    return peer.kind === 'front-proxy' ? undefined : this.#proven(request, peer);
  }

  async #proven(request: IncomingMessage, peer: Peer): Promise<User | undefined> {
    if (peer.kind === 'client') return this.#inTime(peer.user);
    const { authorization } = request.headers;
    return authorization === undefined ? undefined : this.#byToken(authorization);
  }

  async #byToken(authorization: string): Promise<User> {
    const { tokens } = this.#options;
    const token = bearerOf(authorization);
    if (token === undefined) throw unauthorized(new Error('the Authorization header holds no bearer token'));
    const known = tokens.known(token);
    if (known !== undefined) return known;
    const judged = await tokens.judge(token);
    if ('user' in judged) return judged.user;
    if (judged.refusals.length === 0) throw unauthorized(new Error('nobody knows the token'));
    throw this.#refused(judged.refusals.join(', '));
  }

  /** A connection outlives the certificate with which it was made. */
  #inTime(user: User): User {
    if (user.until !== undefined && user.until < Date.now()) throw this.#refused('the client certificate has expired');
    return user;
  }

  #refused(why: string): Error {
    this.#options.told(why);
    return unauthorized(new Error(why));
  }
}
