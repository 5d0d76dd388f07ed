import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { AUTHENTICATED, type User } from './user.ts';

/**
 * Bearer tokens from files in kube-apiserver's form: `token,user,uid[,"group1,group2"]` a line.
 *
 * Invariant: tokens are held and looked up by their SHA-256 alone, so that the time of a look-up says nothing about
 * a token, and no dump of this process's objects shows one.
 */
export class TokenFile {
  readonly #users = new Map<string, User>();

  constructor(paths: readonly string[]) {
    for (const path of paths) {
      for (const [i, line] of readFileSync(path, 'utf8').split(/\r?\n/).entries()) {
        if (line.trim() === '' || line.startsWith('#')) continue;
        const [token = '', name = '', uid = '', groups = ''] = csvFields(line);
        if (token === '' || name === '')
          throw new Error(`${path}:${i + 1}: a line must be token,user,uid[,"group1,group2"]`);
        const all = [
          ...groups
            .split(',')
            .map((g) => g.trim())
            .filter((g) => g !== ''),
          AUTHENTICATED,
        ];
        this.#users.set(digest(token), { name, uid, groups: all });
      }
    }
  }

  find(token: string): User | undefined {
    return this.#users.get(digest(token));
  }
}

function digest(token: string): string {
  return hash('sha256', token, 'base64');
}

function csvFields(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((m) =>
    (m[1]?.replaceAll('""', '"') ?? m[2] ?? '').trim(),
  );
}
