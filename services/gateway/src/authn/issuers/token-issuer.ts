import type { Json, JsonObject } from '@tidegate/schema';
import { isSigned, readToken, type UncheckedToken } from '../json-web-token.ts';
import type { BearerToken, TokenAuthority, TokenVerdict } from '../token-authority.ts';
import type { FetchDocument } from './issuer-keys.ts';
import { IssuerKeys } from './issuer-keys.ts';
import type { ClaimRules } from './user-from-claims.ts';
import { ClaimError, userFromClaims } from './user-from-claims.ts';

/** Somebody whose tokens are taken, as the configuration says. */
export interface IssuerSettings {
  readonly url: string;
  /** empty: at the usual path below the URL */
  readonly discoveryUrl: string;
  /** PEM; empty: what the system trusts */
  readonly authority: string;
  /** a token must be for one of these */
  readonly audiences: readonly string[];
  readonly algorithms: readonly string[];
  readonly rules: ClaimRules;
}

interface Surroundings {
  readonly fetch: FetchDocument;
  /** what goes wrong with the issuer itself, and that it is mended */
  readonly told: (words: string) => void;
  readonly now?: () => number;
}

/** A token is looked at again so often, whatever it says: its key may have been withdrawn. */
const REMEMBER_MS = 10_000;
/** Clocks of issuers may go before; nobody's token lasts longer for that. */
const EARLY_SECONDS = 5 * 60;

/**
 * An issuer of JSON Web Tokens. Invariant: nobody is made a user by a token before one of the issuer's own keys is found to
 * have signed it, by an algorithm that is allowed and that the key is made for.
 */
export class TokenIssuer implements TokenAuthority {
  readonly isForUsAlone = true;
  readonly #settings: IssuerSettings;
  readonly #keys: IssuerKeys;
  readonly #now: () => number;

  constructor(settings: IssuerSettings, { fetch, told, now = Date.now }: Surroundings) {
    this.#settings = settings;
    this.#now = now;
    const { url: issuer, discoveryUrl, authority } = settings;
    let before: string | undefined;
    this.#keys = new IssuerKeys({
      issuer,
      discoveryUrl,
      authority,
      fetch,
      told: (trouble) => {
        if (trouble !== undefined && trouble !== before) told(`the keys of ${issuer} could not be fetched: ${trouble}`);
        if (trouble === undefined && before !== undefined) told(`the keys of ${issuer} were fetched again`);
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

  judge({ text }: BearerToken): Promise<TokenVerdict> | undefined {
    const token = readToken(text);
    if (token === undefined || token.claims.iss !== this.#settings.url) return undefined;
    return this.#judged(token).catch((error: unknown) => {
      if (error instanceof ClaimError) return { refused: `oidc: ${error.message}` };
      throw error;
    });
  }

  async #judged(token: UncheckedToken): Promise<TokenVerdict> {
    const { algorithms, rules } = this.#settings;
    const { algorithm, keyId, claims } = token;
    if (!algorithms.includes(algorithm)) {
      throw new ClaimError(
        `token signed with unsupported algorithm, expected ${told(algorithms)} got ${told(algorithm)}`,
      );
    }
    this.#refuseForOthers(claims);
    const until = this.#refuseOutOfTime(claims);
    if (!this.#isSigned(token) && !((await this.#keys.renewed()) && this.#isSigned(token))) {
      const isKnown = this.#keys.of(keyId, algorithm).length > 0;
      const why = isKnown ? 'the signature is wrong' : `it tells no key ${told(keyId)} for ${algorithm}`;
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
    throw new ClaimError(`expected audience in ${told(audiences)} got ${told(aud)}`);
  }

  /** When it ends, in milliseconds. */
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
  throw new ClaimError(`claim ${told(name)} is no time`);
}

function told(value: Json | readonly string[]): string {
  return JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one));
}
