import type { IncomingMessage } from 'node:http';
import { unauthorized } from '@tidegate/status';
import { anonymous, type User } from '../request/user.ts';
import { bearerOf } from '../tokens/token-authority.ts';
import type { BearerTokens } from './bearer-tokens.ts';
import type { Connections, Peer } from './connections.ts';
import type { FrontProxyHeaders } from './front-proxy.ts';

/**
 * The paths that accept requests without credentials; authorization still decides whether such a request is allowed.
 */
export type AnonymousPaths = 'all' | { readonly exact: ReadonlySet<string>; readonly below: readonly string[] };

/** The paths of health checks and of the version. */
export const USUAL_PATHS: AnonymousPaths = {
  exact: new Set(['/livez', '/readyz', '/healthz', '/version']),
  below: ['/livez/', '/readyz/', '/healthz/', '/version/'],
};

export const NOWHERE: AnonymousPaths = { exact: new Set(), below: [] };

/** The anonymous user; undefined where this path accepts no anonymous requests. */
export function anonymousAt(url: string, paths: AnonymousPaths): User | undefined {
  if (paths === 'all') return anonymous;
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  if (paths.exact.has(path)) return anonymous;
  // a path with `..` may lead out of the prefix again
  return !path.includes('..') && paths.below.some((prefix) => path.startsWith(prefix)) ? anonymous : undefined;
}

interface AuthenticatorOptions {
  readonly connections: Connections;
  /** undefined: no front proxy is trusted */
  readonly frontProxy: FrontProxyHeaders | undefined;
  readonly tokens: BearerTokens;
  readonly anonymous: AnonymousPaths;
  /** gets the reason for each failed authentication, for the log only */
  readonly onRefusal: (why: string) => void;
}

/**
 * Authenticates requests in kube-apiserver's order: by the headers of a front proxy, by client certificate, by bearer
 * token; without credentials as the anonymous user, where that is allowed.
 *
 * Invariant: a request with invalid credentials is never served under another identity: an unknown token or an
 * untrusted certificate is answered with 401 and does not become anonymous.
 */
export class Authenticator {
  readonly #options: AuthenticatorOptions;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  async authenticate(request: IncomingMessage): Promise<User> {
    const { connections, frontProxy, anonymous } = this.#options;
    const peer = connections.of(request);
    const identity = frontProxy?.take(request) ?? [];
    if (peer.kind === 'front-proxy' && identity.length > 0) {
      const user = frontProxy?.user(identity);
      if (user === 'ambiguous') throw this.#refused('a front proxy names more than one user');
      if (user !== undefined) return user;
    }
    const ownIdentity = await this.#ownIdentity(request, peer);
    if (ownIdentity !== undefined) return ownIdentity;
    if (peer.kind === 'untrusted') throw this.#refused(peer.why);
    if (peer.kind === 'front-proxy') throw this.#refused('a front proxy names no user');
    const anonymousUser = anonymousAt(request.url ?? '', anonymous);
    if (anonymousUser === undefined)
      throw unauthorized(new Error('the request has no credentials, and this path requires them'));
    return anonymousUser;
  }

  /**
   * The user whom the sender's own certificate or token proves. Headers of a front proxy are ignored and stay on the
   * request. undefined: the request has neither.
   */
  async sender(request: IncomingMessage): Promise<User | undefined> {
    const peer = this.#options.connections.of(request);
    return peer.kind === 'front-proxy' ? undefined : this.#ownIdentity(request, peer);
  }

  async #ownIdentity(request: IncomingMessage, peer: Peer): Promise<User | undefined> {
    if (peer.kind === 'client') return this.#checkedExpiry(peer.user);
    const { authorization } = request.headers;
    return authorization === undefined ? undefined : this.#byToken(authorization);
  }

  async #byToken(authorization: string): Promise<User> {
    const { tokens } = this.#options;
    const token = bearerOf(authorization);
    if (token === undefined) throw unauthorized(new Error('the Authorization header holds no bearer token'));
    const known = tokens.cachedUser(token);
    if (known !== undefined) return known;
    const result = await tokens.authenticate(token);
    if ('user' in result) return result.user;
    if (result.refusals.length === 0) throw unauthorized(new Error('no authenticator recognizes the token'));
    throw this.#refused(result.refusals.join(', '));
  }

  /** A connection may stay open after its client certificate has expired. */
  #checkedExpiry(user: User): User {
    if (user.until !== undefined && user.until < Date.now()) throw this.#refused('the client certificate has expired');
    return user;
  }

  #refused(why: string): Error {
    this.#options.onRefusal(why);
    return unauthorized(new Error(why));
  }
}
