import type { IncomingMessage } from 'node:http';
import { OptionError } from '@tidegate/options';
import { type User, withAuthenticated } from '../request/user.ts';

/** The names of the headers in which a front proxy passes the user of a request. */
export interface FrontProxyConfig {
  readonly requestheaderUsernameHeaders: readonly string[];
  readonly requestheaderUidHeaders: readonly string[];
  readonly requestheaderGroupHeaders: readonly string[];
  readonly requestheaderExtraHeadersPrefix: readonly string[];
}

type Pairs = ReadonlyArray<readonly [name: string, value: string]>;

/** Reads the user from the headers of front proxies, and removes these headers from requests. */
export class FrontProxyHeaders {
  readonly #usernames: readonly string[];
  readonly #uids: readonly string[];
  readonly #groups: readonly string[];
  readonly #prefixes: readonly string[];
  readonly #exact: ReadonlySet<string>;

  constructor(config: FrontProxyConfig) {
    this.#usernames = lowered('requestheader-username-headers', config.requestheaderUsernameHeaders);
    this.#uids = lowered('requestheader-uid-headers', config.requestheaderUidHeaders);
    this.#groups = lowered('requestheader-group-headers', config.requestheaderGroupHeaders);
    this.#prefixes = lowered('requestheader-extra-headers-prefix', config.requestheaderExtraHeadersPrefix);
    this.#exact = new Set([...this.#usernames, ...this.#uids, ...this.#groups]);
  }

  /**
   * Removes these headers from a request and returns them. They are removed whoever sent them: a server to which the
   * request is forwarded might trust them.
   */
  take(request: IncomingMessage): Pairs {
    const isThere = Object.keys(request.headers).some((name) => this.#isOurs(name));
    return isThere ? this.#takeOff(request) : [];
  }

  /** The user whom these headers name; undefined: they name none. Two different users or uids are an error. */
  user(pairs: Pairs): User | 'ambiguous' | undefined {
    const names = valuesOf(pairs, this.#usernames);
    const uids = valuesOf(pairs, this.#uids);
    const [name] = names;
    if (name === undefined) return undefined;
    if (names.length > 1 || uids.length > 1) return 'ambiguous';
    const groups = withAuthenticated(name, valuesOf(pairs, this.#groups));
    const extra = this.#extra(pairs);
    return { name, uid: uids[0] ?? '', groups, ...(Object.keys(extra).length > 0 && { extra }) };
  }

  #isOurs(name: string): boolean {
    return this.#exact.has(name) || this.#prefixes.some((prefix) => name.startsWith(prefix));
  }

  #takeOff({ headers, rawHeaders }: IncomingMessage): Pairs {
    const taken: Array<readonly [string, string]> = [];
    let kept = 0;
    for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
      const [name, value] = [rawHeaders[i] as string, rawHeaders[i + 1] as string];
      if (this.#isOurs(name.toLowerCase())) {
        taken.push([name.toLowerCase(), value]);
        continue;
      }
      rawHeaders[kept++] = name;
      rawHeaders[kept++] = value;
    }
    rawHeaders.length = kept;
    for (const [name] of taken) delete headers[name];
    return taken;
  }

  #extra(pairs: Pairs): Record<string, string[]> {
    const extra = new Map<string, string[]>();
    for (const prefix of this.#prefixes) {
      for (const [name, value] of pairs) {
        if (!name.startsWith(prefix)) continue;
        const key = unescaped(name.slice(prefix.length));
        extra.set(key, [...(extra.get(key) ?? []), utf8(value)]);
      }
    }
    return Object.fromEntries(extra);
  }
}

function lowered(option: string, names: readonly string[]): string[] {
  const wrong = names.find((name) => !/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name));
  if (wrong !== undefined) throw new OptionError(`--${option}: ${JSON.stringify(wrong)} is not a valid header name`);
  return names.map((name) => name.toLowerCase());
}

/** The values of the headers with these names, in the order of the names. */
function valuesOf(pairs: Pairs, names: readonly string[]): string[] {
  const found = names.flatMap((wanted) => pairs.filter(([name]) => name === wanted).map(([, value]) => utf8(value)));
  return found.filter((value) => value !== '');
}

export function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return key;
  }
}

/** Node reads headers as latin1, one character for each byte. */
function utf8(value: string): string {
  return Buffer.from(value, 'latin1').toString('utf8');
}
