import { hash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { OptionError } from '@tidegate/options';
import { AUTHENTICATED, type User } from '../request/user.ts';

/** A bearer token, and the digest under which it is looked up. */
export interface BearerToken {
  readonly text: string;
  readonly digest: string;
}

/** Known to this process only. Prefixing the key is enough, because digests never leave the process. */
const KEY = randomBytes(32).toString('base64');

/**
 * Tokens are looked up and cached by this digest and never by their text: the time of a lookup reveals nothing about a
 * token, and a dump of this process's tables shows none.
 */
export function digestOf(text: string): string {
  return hash('sha256', KEY + text, 'base64');
}

const HEADER = /^bearer +(\S+) *$/i;

/** undefined: the header holds no bearer token. */
export function bearerOf(authorization: string): BearerToken | undefined {
  const text = HEADER.exec(authorization)?.[1];
  return text === undefined ? undefined : { text, digest: digestOf(text) };
}

/** The user of a token. */
export interface TokenOwner {
  readonly user: User;
  /** those of the requested audiences for which the token is valid */
  readonly audiences?: readonly string[];
  /** how long the result may be cached; 0 or absent: not at all */
  readonly rememberMs?: number;
}

/** What an authority finds about one of its own tokens: the user, or why the token is invalid. */
export type TokenVerdict = TokenOwner | { readonly refused: string };

/** A source of token authentication: a file, the keys of service accounts, an issuer, a webhook. */
export interface TokenAuthority {
  /** its tokens are valid for this server only, and name no other audiences */
  readonly servesThisServerOnly: boolean;
  /** undefined: the token belongs to another authority. `audiences`: the required audiences; by default this server's. */
  authenticate(
    token: BearerToken,
    audiences?: readonly string[],
  ): TokenVerdict | undefined | Promise<TokenVerdict | undefined>;
}

/** Bearer tokens from files in kube-apiserver's form: `token,user,uid[,"group1,group2"]` a line. */
export class TokenFile implements TokenAuthority {
  readonly servesThisServerOnly = true;
  readonly #verdicts = new Map<string, TokenVerdict>();

  constructor(paths: readonly string[]) {
    for (const path of paths) {
      for (const [i, line] of readFileSync(path, 'utf8').split(/\r?\n/).entries()) {
        if (line.trim() === '' || line.startsWith('#')) continue;
        const [token = '', name = '', uid = '', groups = ''] = csvFields(line);
        if (token === '' || name === '')
          throw new OptionError(`${path}:${i + 1}: a line must be token,user,uid[,"group1,group2"]`);
        const named = groups.split(',').map((group) => group.trim());
        const user: User = { name, uid, groups: [...named.filter((group) => group !== ''), AUTHENTICATED] };
        this.#verdicts.set(digestOf(token), { user });
      }
    }
  }

  authenticate({ digest }: BearerToken): TokenVerdict | undefined {
    return this.#verdicts.get(digest);
  }
}

function csvFields(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((m) =>
    (m[1]?.replaceAll('""', '"') ?? m[2] ?? '').trim(),
  );
}
