import { createPublicKey, type KeyObject } from 'node:crypto';
import { request } from 'node:https';
import { isJsonObject, type Json, type JsonObject, parseOwnJson } from '@tidegate/schema';
import { Retry, trusting } from '@tidegate/service-kit';
import { fits } from '../json-web-token.ts';

interface IssuerKeysOptions {
  readonly issuer: string;
  /** where it describes itself; empty: at the usual path */
  readonly discoveryUrl: string;
  /** PEM; empty: what the system trusts */
  readonly authority: string;
  readonly fetch: FetchDocument;
  /** why its keys could not be fetched; undefined: they were */
  readonly told: (trouble: string | undefined) => void;
  readonly now?: () => number;
}

interface PublishedKey {
  readonly id: string;
  /** empty: any that the key can sign by */
  readonly algorithm: string;
  readonly key: KeyObject;
}

const FETCH_LIMIT_MS = 5000;
/** An unknown key is asked for no sooner than so long after the last time: tokens are made up easily. */
const PAUSE_MS = 5000;
const PAUSES = { firstMs: 10_000, longestMs: 60_000 };
/** A key that was withdrawn must not live here for ever. */
const REFRESH_MS = 10 * 60_000;
const MOST_KEYS = 100;
const WELL_KNOWN = '/.well-known/openid-configuration';

/**
 * The public keys of an issuer, as it tells them.
 *
 * Invariant: it is asked in the background, and once at a time; for keys that nobody knows, no more often than every five
 * seconds, whatever tokens come. What it told last counts until it tells something else.
 *
 *   waiting ──told──▶ known ──ten minutes, or an unknown key──▶ asked again
 *      ▲ │ failed: again after 10 s, 20 s, 40 s, and then each minute
 *      └─┘
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

  /** Those that a token of this algorithm may be signed by, as they are known; `keyId` is empty where it names none. */
  of(keyId: string, algorithm: string): KeyObject[] {
    return this.#keys
      .filter((one) => keyId === '' || one.id === keyId)
      .filter((one) => (one.algorithm === '' || one.algorithm === algorithm) && fits(one.key, algorithm))
      .map(({ key }) => key);
  }

  /** Whether the issuer was asked again: none of the keys that are known has signed some token. */
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
      this.#keys = await this.#told();
      this.#retry.succeeded();
      this.#options.told(undefined);
    } catch (error) {
      againMs = this.#retry.failedNow(error);
      this.#options.told((error as Error).message);
    }
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#ask(), againMs);
    this.#timer.unref();
  }

  async #told(): Promise<PublishedKey[]> {
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
      throw new Error(`it tells no https URL of its keys, but ${JSON.stringify(uri)}`);
    }
    const { keys } = await fetch(uri, options);
    if (!Array.isArray(keys)) throw new Error(`${uri} holds no keys`);
    return keys.slice(0, MOST_KEYS).flatMap((one) => publishedKey(one) ?? []);
  }
}

/** undefined: one that signs no tokens that are taken here. */
function publishedKey(told: Json): PublishedKey | undefined {
  if (!isJsonObject(told) || (told.use !== undefined && told.use !== 'sig')) return undefined;
  const { kid = '', alg = '', kty } = told;
  if (typeof kid !== 'string' || typeof alg !== 'string' || (kty !== 'RSA' && kty !== 'EC')) return undefined;
  try {
    return { id: kid, algorithm: alg, key: createPublicKey({ key: told as never, format: 'jwk' }) };
  } catch {
    // a TypeError or an error of OpenSSL: this is no key. Others of the set may be good.
    return undefined;
  }
}

interface FetchOptions {
  /** PEM; empty: what the system trusts */
  readonly authority: string;
  readonly timeoutMs: number;
}

export type FetchDocument = (url: string, options: FetchOptions) => Promise<JsonObject>;

const MOST_BYTES = 1 << 20;

/** A JSON object from an https server. All of it comes within the time; redirects are not followed. */
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
          else fail('the answer is no JSON object');
        } catch (error) {
          fail(`the answer is no JSON: ${(error as Error).message}`);
        }
      });
    });
    sent.end();
  });
