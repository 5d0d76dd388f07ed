import { ExpiringCache } from '../callouts/expiring-cache.ts';
import type { User } from '../request/user.ts';
import type { BearerToken, TokenAuthority, TokenOwner } from '../tokens/token-authority.ts';

interface BearerTokensOptions {
  /** tried in this order */
  readonly authorities: readonly TokenAuthority[];
  /** the names of this server in tokens */
  readonly audiences: readonly string[];
  readonly now?: () => number;
}

const MOST_CACHED = 10_000;

/** The user of a token, or the reasons why each authority rejected it. */
export type TokenCheck =
  | { readonly user: User; readonly audiences: readonly string[] }
  | { readonly refusals: readonly string[] };

/**
 * Authenticates bearer tokens. The authorities are tried one after another and the first that finds a user decides;
 * when one rejects the token, the next is still tried.
 *
 * Invariant: a user is cached under the token's digest, for no longer than the authority allows and the token is valid.
 * Rejected tokens are not cached here.
 */
export class BearerTokens {
  readonly #authorities: readonly TokenAuthority[];
  readonly #users: ExpiringCache<User>;
  readonly #now: () => number;
  readonly audiences: readonly string[];

  constructor({ authorities, audiences, now = Date.now }: BearerTokensOptions) {
    this.#authorities = authorities;
    this.audiences = audiences;
    this.#now = now;
    this.#users = new ExpiringCache(MOST_CACHED, now);
  }

  /** The user from the cache. */
  cachedUser({ digest }: BearerToken): User | undefined {
    return this.#users.get(digest);
  }

  /** `asked`: the required audiences; this server's own where the list is empty. */
  async authenticate(token: BearerToken, asked: readonly string[] = []): Promise<TokenCheck> {
    const ours = asked.filter((audience) => this.audiences.includes(audience));
    const refusals: string[] = [];
    for (const authority of this.#authorities) {
      if (authority.servesThisServerOnly && asked.length > 0 && ours.length === 0) continue;
      // a result that is available at once needs no turn of the event loop
      const answer = authority.authenticate(token, asked.length > 0 ? asked : undefined);
      const verdict = answer instanceof Promise ? await answer : answer;
      if (verdict === undefined) continue;
      if ('refused' in verdict) {
        refusals.push(verdict.refused);
        continue;
      }
      if (asked.length === 0) this.#remember(token, verdict);
      return { user: verdict.user, audiences: verdict.audiences ?? (asked.length > 0 ? ours : this.audiences) };
    }
    return { refusals };
  }

  #remember({ digest }: BearerToken, { user, rememberMs = 0 }: TokenOwner): void {
    if (rememberMs === 0) return;
    this.#users.put(digest, user, Math.min(rememberMs, (user.until ?? Number.POSITIVE_INFINITY) - this.#now()));
  }
}
