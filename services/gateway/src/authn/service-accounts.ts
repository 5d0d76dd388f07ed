import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Key } from '@tidegate/wire';
import { ExpiringCache } from '../callouts/expiring-cache.ts';
import { AUTHENTICATED, accountGroups, CREDENTIAL_ID, type User } from '../request/user.ts';
import { SigningKeys } from './signing-keys.ts';
import type { BearerToken, TokenAuthority, TokenVerdict } from './token-authority.ts';

/** What a token is bound to, by name and uid. */
export interface Reference {
  readonly name: string;
  readonly uid: string;
}

export interface TokenSubject {
  readonly namespace: string;
  readonly serviceaccount: Reference;
  readonly pod?: Reference;
  readonly secret?: Reference;
  readonly node?: Reference;
}

interface Claims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: readonly string[];
  readonly exp: number;
  readonly nbf: number;
  readonly iat: number;
  readonly jti: string;
  readonly 'kubernetes.io': TokenSubject;
}

interface ServiceAccountsOptions {
  readonly keys: SigningKeys;
  /** the first signs; tokens of all are taken */
  readonly issuers: readonly string[];
  /** what tokens for this server say that they are for */
  readonly audiences: readonly string[];
  /** the uid of what is there under a key, and not being deleted */
  readonly uidOf: (key: Key) => Promise<string | undefined>;
  readonly now?: () => number;
}

export interface ServiceAccountConfig {
  readonly serviceAccountSigningKeyFile: string;
  readonly serviceAccountKeyFile: readonly string[];
  readonly serviceAccountIssuer: readonly string[];
  readonly apiAudiences: readonly string[];
}

/** Nobody's clock is exact. */
const LEEWAY_SECONDS = 60;
/** Signatures are looked at once for each token, as long as it is among these. */
const MOST_CACHED = 2000;
const EXTRA = 'authentication.kubernetes.io/';

/**
 * Service accounts as users. Invariant: a token is worth nothing without a look at the store: its account, and what it is
 * bound to, must be there with the same uid at every request.
 */
export class ServiceAccounts implements TokenAuthority {
  readonly isForUsAlone = false;
  readonly #options: ServiceAccountsOptions;
  readonly #now: () => number;
  readonly #known: ExpiringCache<Claims>;
  /** the same object each time: others remember what they know of a user by it */
  readonly #users = new WeakMap<Claims, User>();

  constructor(options: ServiceAccountsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#known = new ExpiringCache(MOST_CACHED, this.#now);
  }

  /** undefined where no key is given: then there are no tokens. */
  static from(config: ServiceAccountConfig, uidOf: ServiceAccountsOptions['uidOf']): ServiceAccounts | undefined {
    const { serviceAccountSigningKeyFile: file, serviceAccountIssuer: issuers, apiAudiences } = config;
    if (file === '') return undefined;
    const keys = new SigningKeys(file, config.serviceAccountKeyFile);
    return new ServiceAccounts({ keys, issuers, audiences: apiAudiences.length > 0 ? apiAudiences : issuers, uidOf });
  }

  get audiences(): readonly string[] {
    return this.#options.audiences;
  }

  issue(subject: TokenSubject, { audiences, seconds }: { audiences: readonly string[]; seconds: number }) {
    const { keys, issuers } = this.#options;
    const iat = Math.floor(this.#now() / 1000);
    const claims: Claims = {
      aud: audiences,
      exp: iat + seconds,
      iat,
      iss: issuers[0] as string,
      jti: randomUUID(),
      'kubernetes.io': subject,
      nbf: iat,
      sub: `system:serviceaccount:${subject.namespace}:${subject.serviceaccount.name}`,
    };
    return { token: keys.sign(claims), expiresAt: new Date(claims.exp * 1000) };
  }

  /** Who the token's bearer is. undefined: it is not one of these tokens. `audiences`: for whom it must be, if not for us. */
  async judge(token: BearerToken, audiences: readonly string[] = this.audiences): Promise<TokenVerdict | undefined> {
    const claims = this.#claimsOf(token);
    if (claims === undefined || !this.#options.issuers.includes(claims.iss)) return undefined;
    const now = this.#now() / 1000;
    if (now > claims.exp + LEEWAY_SECONDS) return { refused: 'service account token has expired' };
    if (now < claims.nbf - LEEWAY_SECONDS) return { refused: 'service account token is not valid yet' };
    const fitting = claims.aud.filter((audience) => audiences.includes(audience));
    if (fitting.length === 0) {
      return {
        refused: `token audiences ${JSON.stringify(claims.aud)} is invalid for the target audiences ${JSON.stringify(audiences)}`,
      };
    }
    const missing = await this.#missing(claims['kubernetes.io']);
    return missing === undefined ? { user: this.#userOf(claims), audiences: fitting } : { refused: missing };
  }

  /** The documents by which others check tokens. */
  document(path: string): { type: string; text: string } | undefined {
    const { keys, algorithms } = this.#options.keys.published;
    if (path === '/openid/v1/jwks') return { type: 'application/jwk-set+json', text: JSON.stringify({ keys }) };
    if (path !== '/.well-known/openid-configuration') return undefined;
    const [issuer = ''] = this.#options.issuers;
    const configuration = {
      issuer,
      jwks_uri: `${issuer.replace(/\/$/, '')}/openid/v1/jwks`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: algorithms,
    };
    return { type: 'application/json', text: JSON.stringify(configuration) };
  }

  #claimsOf({ text, digest }: BearerToken): Claims | undefined {
    const known = this.#known.get(digest);
    if (known !== undefined) return known;
    const claims = this.#options.keys.verified(text) as unknown as Claims | undefined;
    if (claims?.['kubernetes.io']?.serviceaccount === undefined || !Array.isArray(claims.aud)) return undefined;
    this.#known.put(digest, claims, (claims.exp + LEEWAY_SECONDS) * 1000 - this.#now());
    return claims;
  }

  #userOf(claims: Claims): User {
    const user = this.#users.get(claims) ?? userOf(claims);
    this.#users.set(claims, user);
    return user;
  }

  /** What is not there any more; undefined when all is. */
  async #missing({ namespace, serviceaccount, pod, secret, node }: TokenSubject): Promise<string | undefined> {
    const { uidOf } = this.#options;
    const bound: Array<[string, string, Reference | undefined]> = [
      ['pods', namespace, pod],
      ['secrets', namespace, secret],
      // of a pod's node the token tells, but it does not depend on it
      ['nodes', '', pod === undefined ? node : undefined],
    ];
    const [account, ...others] = await Promise.all([
      uidOf({ resource: 'serviceaccounts', namespace, name: serviceaccount.name }),
      ...bound.map(([resource, where, to]) => to && uidOf({ resource, namespace: where, name: to.name })),
    ]);
    if (account !== serviceaccount.uid) return `service account ${namespace}/${serviceaccount.name} has been deleted`;
    const gone = bound.some(([, , to], i) => to !== undefined && others[i] !== to.uid);
    return gone ? 'service account token has been invalidated' : undefined;
  }
}

function userOf({ sub, jti, exp, 'kubernetes.io': subject }: Claims): User {
  const { namespace, serviceaccount, pod, node } = subject;
  return {
    name: sub,
    uid: serviceaccount.uid,
    groups: [...accountGroups(namespace), AUTHENTICATED],
    until: (exp + LEEWAY_SECONDS) * 1000,
    extra: {
      [CREDENTIAL_ID]: [`JTI=${jti}`],
      ...(node && { [`${EXTRA}node-name`]: [node.name], [`${EXTRA}node-uid`]: [node.uid] }),
      ...(pod && { [`${EXTRA}pod-name`]: [pod.name], [`${EXTRA}pod-uid`]: [pod.uid] }),
    },
  };
}

type Look = (key: Key) => Promise<string | undefined>;

/**
 * Looks at the store that are shared by all who ask for the same in one turn of the loop. Whoever sends a thousand
 * requests at once is looked up once.
 *
 * Invariant: a look that has begun is joined by nobody: what it finds may be older than the next one's question.
 */
export function sharedLookups(look: Look): Look {
  const asked = new Map<string, Promise<string | undefined>>();
  const begin = async (name: string, key: Key) => {
    await setImmediate();
    asked.delete(name);
    return look(key);
  };
  return (key) => {
    const name = `${key.resource}/${key.namespace}/${key.name}`;
    let shared = asked.get(name);
    if (shared === undefined) {
      shared = begin(name, key);
      asked.set(name, shared);
    }
    return shared;
  };
}
