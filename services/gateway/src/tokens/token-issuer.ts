import type { Json, JsonObject } from '@tidegate/schema';
import { type FetchDocument, IssuerKeys } from './issuer-keys.ts';
import { isSigned, readToken, type UncheckedToken } from './json-web-token.ts';
import type { BearerToken, TokenAuthority, TokenVerdict } from './token-authority.ts';
import { ClaimError, type ClaimRules, userFromClaims } from './user-from-claims.ts';

/** The settings of one trusted issuer. */
export interface IssuerSettings {
  readonly url: string;
  /** empty: the well-known path below the URL */
  readonly discoveryUrl: string;
  /** PEM; empty: the system's trusted authorities */
  readonly authority: string;
  /** a token must name one of these audiences */
  readonly audiences: readonly string[];
  readonly algorithms: readonly string[];
  readonly rules: ClaimRules;
}

interface Dependencies {
  readonly fetch: FetchDocument;
  /** gets failures to fetch the issuer's keys, and the recovery */
  readonly warn: (words: string) => void;
  readonly now?: () => number;
}

/** How long a verified token is cached: its key may have been withdrawn meanwhile. */
const REMEMBER_MS = 10_000;
/** How far an issuer's clock may be ahead. The tolerance does not extend a token's life. */
const EARLY_SECONDS = 5 * 60;

/**
 * Authenticates the JSON Web Tokens of one issuer. Invariant: a token yields a user only after one of the issuer's own
 * keys has verified its signature, with an allowed algorithm that fits the key.
 */
export class TokenIssuer implements TokenAuthority {
  readonly servesThisServerOnly = true;
  readonly #settings: IssuerSettings;
  readonly #keys: IssuerKeys;
  readonly #now: () => number;

  constructor(settings: IssuerSettings, { fetch, warn, now = Date.now }: Dependencies) {
    this.#settings = settings;
    this.#now = now;
    const { url: issuer, discoveryUrl, authority } = settings;
    let before: string | undefined;
    this.#keys = new IssuerKeys({
      issuer,
      discoveryUrl,
      authority,
      fetch,
      onFetch: (trouble) => {
        if (trouble !== undefined && trouble !== before) warn(`the keys of ${issuer} could not be fetched: ${trouble}`);
        if (trouble === undefined && before !== undefined) warn(`the keys of ${issuer} were fetched again`);
        before = trouble;
      },
    });
  }

  start(): void {
    this.#keys.start();
  }

  stop(): void {
    this.#keys.stop();
  }

  authenticate({ text }: BearerToken): Promise<TokenVerdict> | undefined {
    const token = readToken(text);
    if (token === undefined || token.claims.iss !== this.#settings.url) return undefined;
    return this.#authenticated(token).catch((error: unknown) => {
      if (error instanceof ClaimError) return { refused: `oidc: ${error.message}` };
      throw error;
    });
  }

  async #authenticated(token: UncheckedToken): Promise<TokenVerdict> {
    const { algorithms, rules } = this.#settings;
    const { algorithm, keyId, claims } = token;
    if (!algorithms.includes(algorithm)) {
      throw new ClaimError(
        `token signed with unsupported algorithm, expected ${shown(algorithms)} got ${shown(algorithm)}`,
      );
    }
    this.#refuseForOthers(claims);
    const until = this.#refuseOutOfTime(claims);
    if (!this.#isSigned(token) && !((await this.#keys.renewed()) && this.#isSigned(token))) {
      const isKnown = this.#keys.of(keyId, algorithm).length > 0;
      const why = isKnown ? 'the signature is wrong' : `the issuer publishes no key ${shown(keyId)} for ${algorithm}`;
      throw new ClaimError(`failed to verify signature of a token of ${this.#settings.url}: ${why}`);
    }
    return { user: { ...userFromClaims(claims, rules), until }, rememberMs: REMEMBER_MS };
  }

  #isSigned(token: UncheckedToken): boolean {
    return this.#keys.of(token.keyId, token.algorithm).some((key) => isSigned(token, key));
  }

  #refuseForOthers({ aud = [] }: JsonObject): void {
    const { audiences } = this.#settings;
    const named = Array.isArray(aud) ? aud : [aud];
    if (named.some((one) => audiences.includes(one as string))) return;
    throw new ClaimError(`expected audience in ${shown(audiences)} got ${shown(aud)}`);
  }

  /** Checks the token's times; answers its expiry in milliseconds. */
  #refuseOutOfTime({ exp, nbf, iat }: JsonObject): number {
    const seconds = this.#now() / 1000;
    const ends = numberIn('exp', exp ?? 0);
    if (seconds > ends) throw new ClaimError(`token is expired (Token Expiry: ${ends})`);
    for (const [name, value] of [['nbf', nbf] as const, ['iat', iat] as const]) {
      if (value === undefined || numberIn(name, value) <= seconds + EARLY_SECONDS) continue;
      throw new ClaimError(`current time ${Math.floor(seconds)} before the ${name} time: ${value}`);
    }
    return ends * 1000;
  }
}

function numberIn(name: string, value: Json): number {
  const number = typeof value === 'bigint' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw new ClaimError(`claim ${shown(name)} is not a time`);
}

function shown(value: Json | readonly string[]): string {
  return JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one));
}
