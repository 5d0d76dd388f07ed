import { createPublicKey, type KeyObject } from 'node:crypto';
import { request } from 'node:https';
import { isJsonObject, type Json, type JsonObject, parseOwnJson } from '@tidegate/schema';
import { Retry, trusting } from '@tidegate/service-kit';
import { fits } from './json-web-token.ts';

interface IssuerKeysOptions {
  readonly issuer: string;
  /** the URL of the discovery document; empty: the well-known path below the issuer */
  readonly discoveryUrl: string;
  /** PEM; empty: the system's trusted authorities */
  readonly authority: string;
  readonly fetch: FetchDocument;
  /** gets the error of each fetch; undefined after a successful one */
  readonly onFetch: (trouble: string | undefined) => void;
  readonly now?: () => number;
}

interface PublishedKey {
  readonly id: string;
  /** empty: every algorithm that fits the key */
  readonly algorithm: string;
  readonly key: KeyObject;
}

const FETCH_LIMIT_MS = 5000;
/** The shortest time between two fetches for unknown keys: tokens with forged key ids cost an attacker nothing. */
const PAUSE_MS = 5000;
const PAUSES = { firstMs: 10_000, longestMs: 60_000 };
/** Keys are fetched again regularly, so that a withdrawn key stops being accepted. */
const REFRESH_MS = 10 * 60_000;
const MOST_KEYS = 100;
const WELL_KNOWN = '/.well-known/openid-configuration';

/**
 * The public keys of an issuer, as it publishes them.
 *
 * Invariant: keys are fetched in the background, one fetch at a time, and for unknown keys at most every five seconds.
 * The last fetched keys stay valid until the next successful fetch.
 *
 * waiting ──fetched──▶ known ──ten minutes, or an unknown key──▶ fetched again ▲ │ failed: again after 10 s, 20 s, 40
 * s, and then each minute └─┘
 */
export class IssuerKeys {
  readonly #options: IssuerKeysOptions;
  readonly #now: () => number;
  #keys: readonly PublishedKey[] = [];
  #askedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  readonly #retry = new Retry(PAUSES);

  constructor(options: IssuerKeysOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  start(): void {
    void this.#ask();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** The keys that may have signed a token with this algorithm; `keyId` is empty where the token names none. */
  of(keyId: string, algorithm: string): KeyObject[] {
    return this.#keys
      .filter((one) => keyId === '' || one.id === keyId)
      .filter((one) => (one.algorithm === '' || one.algorithm === algorithm) && fits(one.key, algorithm))
      .map(({ key }) => key);
  }

  /** Fetches the keys again, because no known key has signed a token. False: the last fetch was too recent. */
  async renewed(): Promise<boolean> {
    if (this.#asking === undefined && this.#now() - this.#askedAt < PAUSE_MS) return false;
    await this.#ask();
    return true;
  }

  #ask(): Promise<void> {
    this.#asking ??= this.#fetch().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #fetch(): Promise<void> {
    this.#askedAt = this.#now();
    clearTimeout(this.#timer);
    let againMs = REFRESH_MS;
    try {
      this.#keys = await this.#published();
      this.#retry.succeeded();
      this.#options.onFetch(undefined);
    } catch (error) {
      againMs = this.#retry.failedNow(error);
      this.#options.onFetch((error as Error).message);
    }
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#ask(), againMs);
    this.#timer.unref();
  }

  async #published(): Promise<PublishedKey[]> {
    const { issuer, discoveryUrl, authority, fetch } = this.#options;
    const options = { authority, timeoutMs: FETCH_LIMIT_MS };
    const about = await fetch(discoveryUrl === '' ? issuer.replace(/\/$/, '') + WELL_KNOWN : discoveryUrl, options);
    if (about.issuer !== issuer) {
      const said = JSON.stringify(about.issuer);
      throw new Error(
        `issuer did not match the issuer returned by provider, expected ${JSON.stringify(issuer)} got ${said}`,
      );
    }
    const uri = about.jwks_uri;
    if (typeof uri !== 'string' || URL.parse(uri)?.protocol !== 'https:') {
      throw new Error(`jwks_uri must be an https URL, not ${JSON.stringify(uri)}`);
    }
    const { keys } = await fetch(uri, options);
    if (!Array.isArray(keys)) throw new Error(`${uri} contains no keys`);
    return keys.slice(0, MOST_KEYS).flatMap((one) => publishedKey(one) ?? []);
  }
}

/** undefined: the key signs no tokens, or has an unsupported type. */
function publishedKey(jwk: Json): PublishedKey | undefined {
  if (!isJsonObject(jwk) || (jwk.use !== undefined && jwk.use !== 'sig')) return undefined;
  const { kid = '', alg = '', kty } = jwk;
  if (typeof kid !== 'string' || typeof alg !== 'string' || (kty !== 'RSA' && kty !== 'EC')) return undefined;
  try {
    return { id: kid, algorithm: alg, key: createPublicKey({ key: jwk as never, format: 'jwk' }) };
  } catch {
    // a TypeError or an error of OpenSSL: this key is invalid. Other keys of the set may be valid.
    return undefined;
  }
}

interface FetchOptions {
  /** PEM; empty: the system's trusted authorities */
  readonly authority: string;
  readonly timeoutMs: number;
}

export type FetchDocument = (url: string, options: FetchOptions) => Promise<JsonObject>;

const MOST_BYTES = 1 << 20;

/** Fetches a JSON object from an https server. The timeout covers the whole answer; redirects are not followed. */
export const fetchDocument: FetchDocument = (url, { authority, timeoutMs }) =>
  new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`Get ${JSON.stringify(url)}: ${why}`));
    const sent = request(url, {
      agent: false,
      ...(authority === '' ? {} : trusting(authority)),
      minVersion: 'TLSv1.2',
      signal: AbortSignal.timeout(timeoutMs),
      headers: { Accept: 'application/json', Connection: 'close' },
    });
    sent.on('error', (error) => fail(error.name === 'AbortError' ? 'context deadline exceeded' : error.message));
    sent.on('response', (response) => {
      const { statusCode = 0 } = response;
      if (statusCode !== 200) {
        const more = statusCode >= 300 && statusCode < 400 ? ', and redirects are not followed' : '';
        fail(`it answered ${statusCode}${more}`);
        sent.destroy();
        return;
      }
      const parts: Buffer[] = [];
      let bytes = 0;
      response.on('data', (part: Buffer) => {
        bytes += part.length;
        if (bytes <= MOST_BYTES) parts.push(part);
        else response.destroy(new Error(`the answer is larger than ${MOST_BYTES} bytes`));
      });
      response.on('error', (error) => fail(error.message));
      response.on('end', () => {
        try {
          const value = parseOwnJson(Buffer.concat(parts));
          if (isJsonObject(value)) resolve(value);
          else fail('the answer is not a JSON object');
        } catch (error) {
          fail(`the answer is not JSON: ${(error as Error).message}`);
        }
      });
    });
    sent.end();
  });
