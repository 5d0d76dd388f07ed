import { hash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { OptionError } from '@tidegate/options';
import { AUTHENTICATED, type User } from '../request/user.ts';

/** A bearer token, and by what it is looked up. */
export interface BearerToken {
  readonly text: string;
  readonly digest: string;
}

/** Of this process alone. The digests never leave it, so that it is enough that the key comes first. */
const KEY = randomBytes(32).toString('base64');

/**
 * By this tokens are looked up and remembered, never by themselves: the time of a look-up says nothing about a token, and
 * no dump of this process's tables shows one.
 */
export function digestOf(text: string): string {
  return hash('sha256', KEY + text, 'base64');
}

const HEADER = /^bearer +(\S+) *$/i;

/** undefined: the header holds something else. */
export function bearerOf(authorization: string): BearerToken | undefined {
  const text = HEADER.exec(authorization)?.[1];
  return text === undefined ? undefined : { text, digest: digestOf(text) };
}

/** Whose a token is. */
export interface TokenOwner {
  readonly user: User;
  /** for whom it is, of those that were asked about */
  readonly audiences?: readonly string[];
  /** how long it need not be asked again; 0 or nothing: at every request */
  readonly rememberMs?: number;
}

/** What an authority says of a token that is one of its own: whose it is, or why it is no good. */
export type TokenVerdict = TokenOwner | { readonly refused: string };

/** Somebody who knows whose tokens are: a file, the keys of service accounts, an issuer, a webhook. */
export interface TokenAuthority {
  /** its tokens are for this server, and say nothing of others */
  readonly isForUsAlone: boolean;
  /** undefined: it is none of its tokens. `audiences`: for whom it must be, if not for this server. */
  judge(
    token: BearerToken,
    audiences?: readonly string[],
  ): TokenVerdict | undefined | Promise<TokenVerdict | undefined>;
}

/** Bearer tokens from files in kube-apiserver's form: `token,user,uid[,"group1,group2"]` a line. */
export class TokenFile implements TokenAuthority {
  readonly isForUsAlone = true;
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

  judge({ digest }: BearerToken): TokenVerdict | undefined {
    return this.#verdicts.get(digest);
  }
}

function csvFields(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((m) =>
    (m[1]?.replaceAll('""', '"') ?? m[2] ?? '').trim(),
  );
}
