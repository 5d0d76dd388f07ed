import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { OptionError } from '@tidegate/options';
import type { Key } from '@tidegate/wire';
import { ExpiringCache } from '../callouts/expiring-cache.ts';
import { durationOf } from '../configuration/duration.ts';
import { AUTHENTICATED, accountGroups, CREDENTIAL_ID, type User } from '../request/user.ts';
import { SigningKeys } from '../tokens/signing-keys.ts';
import type { BearerToken, TokenAuthority, TokenVerdict } from '../tokens/token-authority.ts';

/** An object to which a token is bound. */
interface Reference {
  readonly name: string;
  readonly uid: string;
}

export interface TokenSubject {
  readonly namespace: string;
  readonly serviceaccount: Reference;
  readonly pod?: Reference;
  readonly secret?: Reference;
  /** the node of a pod may not exist, and then has no uid */
  readonly node?: Pick<Reference, 'name'> & Partial<Reference>;
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
  /** the first is written into new tokens; tokens of all are accepted */
  readonly issuers: readonly string[];
  /** the audiences of tokens for this server */
  readonly audiences: readonly string[];
  /** the longest lifetime of new tokens */
  readonly maxTokenSeconds: number;
  /** the uid of the object under a key; undefined where it does not exist or is being deleted */
  readonly uidOf: (key: Key) => Promise<string | undefined>;
  readonly now?: () => number;
}

export interface ServiceAccountConfig {
  readonly serviceAccountSigningKeyFile: string;
  readonly serviceAccountKeyFile: readonly string[];
  readonly serviceAccountIssuer: readonly string[];
  readonly serviceAccountMaxTokenExpiration: string;
  readonly apiAudiences: readonly string[];
}

/** Tolerance for clock skew. */
const LEEWAY_SECONDS = 60;
/** The number of tokens whose verified claims are cached. */
const MOST_CACHED = 2000;
const EXTRA = 'authentication.kubernetes.io/';

/**
 * Issues and authenticates the tokens of service accounts. Invariant: every request looks up the store: the account and
 * the bound objects must exist with the same uid.
 */
export class ServiceAccounts implements TokenAuthority {
  readonly servesThisServerOnly = false;
  readonly #options: ServiceAccountsOptions;
  readonly #now: () => number;
  readonly #known: ExpiringCache<Claims>;
  /** the same object for each request of a token, because other caches use it as their key */
  readonly #users = new WeakMap<Claims, User>();

  constructor(options: ServiceAccountsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#known = new ExpiringCache(MOST_CACHED, this.#now);
  }

  /** undefined where no signing key is configured: then there are no tokens. */
  static from(config: ServiceAccountConfig, uidOf: ServiceAccountsOptions['uidOf']): ServiceAccounts | undefined {
    const { serviceAccountSigningKeyFile: file, serviceAccountIssuer: issuers, apiAudiences } = config;
    if (file === '') return undefined;
    const keys = new SigningKeys(file, config.serviceAccountKeyFile);
    const audiences = apiAudiences.length > 0 ? apiAudiences : issuers;
    return new ServiceAccounts({ keys, issuers, audiences, maxTokenSeconds: maxTokenSecondsOf(config), uidOf });
  }

  get audiences(): readonly string[] {
    return this.#options.audiences;
  }

  get maxTokenSeconds(): number {
    return this.#options.maxTokenSeconds;
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

  /** undefined: the token is none of a service account. `audiences`: the required ones; by default this server's. */
  async authenticate(
    token: BearerToken,
    audiences: readonly string[] = this.audiences,
  ): Promise<TokenVerdict | undefined> {
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

  /** The published documents with which other servers verify tokens. */
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

  /** Why a token is invalid because an object was deleted; undefined when all objects exist. */
  async #missing({ namespace, serviceaccount, pod, secret, node }: TokenSubject): Promise<string | undefined> {
    const { uidOf } = this.#options;
    const bound: Array<[string, string, TokenSubject['node']]> = [
      ['pods', namespace, pod],
      ['secrets', namespace, secret],
      // the token of a pod names the pod's node, but does not depend on it
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

/** 0s stands for no limit. Shorter limits than an hour would expire tokens before clients renew them. */
function maxTokenSecondsOf({ serviceAccountMaxTokenExpiration: text }: ServiceAccountConfig): number {
  const seconds = durationOf('service-account-max-token-expiration', text) / 1000;
  if (seconds === 0) return Number.POSITIVE_INFINITY;
  if (seconds >= 3600 && seconds <= 2 ** 32) return seconds;
  throw new OptionError(
    `--service-account-max-token-expiration must be 0s, or between 1h and 2^32 seconds, not ${JSON.stringify(text)}`,
  );
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
      ...(node && { [`${EXTRA}node-name`]: [node.name] }),
      ...(node?.uid && { [`${EXTRA}node-uid`]: [node.uid] }),
      ...(pod && { [`${EXTRA}pod-name`]: [pod.name], [`${EXTRA}pod-uid`]: [pod.uid] }),
    },
  };
}

type Lookup = (key: Key) => Promise<string | undefined>;

/**
 * Shares one lookup in the store among all requests for the same key in one turn of the event loop. A thousand
 * simultaneous requests of one client cost one lookup.
 *
 * Invariant: no request joins a lookup that was already sent, because its result may be older than the request.
 */
export function sharedLookups(lookup: Lookup): Lookup {
  const asked = new Map<string, Promise<string | undefined>>();
  const begin = async (name: string, key: Key) => {
    await setImmediate();
    asked.delete(name);
    return lookup(key);
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
