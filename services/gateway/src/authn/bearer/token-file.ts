import { readFileSync } from 'node:fs';
import { OptionError } from '@tidegate/options';
import { AUTHENTICATED, type User } from '../../request/user.ts';
import { type BearerToken, digestOf } from './token.ts';
import type { TokenAuthority, TokenVerdict } from './token-authority.ts';

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
