import { ExpiringCache } from '../callouts/expiring-cache.ts';
import type { User } from '../request/user.ts';
import type { BearerToken, TokenAuthority, TokenOwner } from './token-authority.ts';

interface BearerTokensOptions {
  /** in the order in which they are asked */
  readonly authorities: readonly TokenAuthority[];
  /** what this server is called in tokens */
  readonly audiences: readonly string[];
  readonly now?: () => number;
}

const MOST_CACHED = 10_000;

/** Whose a token is, or all that was said against it. */
export type Judged =
  | { readonly user: User; readonly audiences: readonly string[] }
  | { readonly refusals: readonly string[] };

/**
 * Users by their bearer tokens. The authorities are asked one after another; the first that knows the token's user is
 * believed, and what one has against it keeps no other from knowing it.
 *
 * Invariant: a user is remembered for no longer than the authority allows and the token lasts, for the token's digest
 * alone. What is no good is not remembered here.
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

  /** The user who is remembered. */
  known({ digest }: BearerToken): User | undefined {
    return this.#users.get(digest);
  }

  /** `asked`: for whom the token must be; for this server where nobody is named. */
  async judge(token: BearerToken, asked: readonly string[] = []): Promise<Judged> {
    const ours = asked.filter((audience) => this.audiences.includes(audience));
    const refusals: string[] = [];
    for (const authority of this.#authorities) {
      if (authority.isForUsAlone && asked.length > 0 && ours.length === 0) continue;
      // what is known at once is not waited for
      const answer = authority.judge(token, asked.length > 0 ? asked : undefined);
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
