import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import { ExpiringCache } from '../callouts/expiring-cache.ts';
import type { OperatorsWebhook } from '../callouts/operators-webhook.ts';
import { WebhookFailure } from '../callouts/webhook-calls.ts';
import { type User, withAuthenticated } from '../request/user.ts';
import type { BearerToken, TokenAuthority, TokenVerdict } from '../tokens/token-authority.ts';

interface TokenWebhookOptions {
  readonly webhook: Pick<OperatorsWebhook, 'ask'>;
  /** the version of TokenReview */
  readonly version: string;
  readonly cacheMs: number;
  /** the names of this server in tokens */
  readonly audiences: readonly string[];
  readonly now?: () => number;
}

const MOST_CACHED = 10_000;
/** Forged tokens arrive faster than a webhook can reject them. */
const MOST_AT_ONCE = 200;
const GROUP = 'authentication.k8s.io';

/**
 * Authenticates tokens with a TokenReview webhook.
 *
 * Invariant: for one token and the same audiences at most one call is in flight, and none is made while the cached
 * answer is valid. Failed calls are not cached.
 */
export class TokenWebhook implements TokenAuthority {
  readonly servesThisServerOnly = false;
  readonly #options: TokenWebhookOptions;
  /** rejected and unknown tokens; accepted ones are cached by BearerTokens */
  readonly #refused: ExpiringCache<TokenVerdict | 'unknown'>;
  readonly #asking = new Map<string, Promise<TokenVerdict | undefined>>();

  constructor(options: TokenWebhookOptions) {
    this.#options = options;
    this.#refused = new ExpiringCache(MOST_CACHED, options.now);
  }

  authenticate(
    token: BearerToken,
    asked: readonly string[] = this.#options.audiences,
  ): Promise<TokenVerdict | undefined> {
    const key = JSON.stringify([token.digest, ...asked]);
    const known = this.#refused.get(key);
    if (known !== undefined) return Promise.resolve(known === 'unknown' ? undefined : known);
    const joined = this.#asking.get(key);
    if (joined !== undefined) return joined;
    if (this.#asking.size >= MOST_AT_ONCE) {
      return Promise.resolve({ refused: 'webhook: too many token reviews are in flight' });
    }
    const answer = this.#ask(token, asked, key).finally(() => this.#asking.delete(key));
    this.#asking.set(key, answer);
    return answer;
  }

  async #ask({ text }: BearerToken, asked: readonly string[], key: string): Promise<TokenVerdict | undefined> {
    const { webhook, version, cacheMs } = this.#options;
    let status: Json | undefined;
    try {
      const spec = { token: text, audiences: [...asked] };
      const answer = await webhook.ask({ kind: 'TokenReview', apiVersion: `${GROUP}/${version}`, spec });
      status = answer.status;
      if (answer.kind !== 'TokenReview' || !isJsonObject(status))
        throw new WebhookFailure('the answer is not a TokenReview');
    } catch (error) {
      if (error instanceof WebhookFailure) return { refused: `webhook: ${error.message}` };
      throw error;
    }
    const verdict = this.#read(status, asked);
    if (verdict === undefined || 'refused' in verdict) this.#refused.put(key, verdict ?? 'unknown', cacheMs);
    return verdict;
  }

  /** An answer without audiences is valid for this server. */
  #read({ authenticated, audiences, error, user }: JsonObject, asked: readonly string[]): TokenVerdict | undefined {
    if (authenticated !== true) return typeof error === 'string' && error !== '' ? { refused: error } : undefined;
    const value = textsIn(audiences);
    const fitting = asked.filter((one) => (value.length > 0 ? value : this.#options.audiences).includes(one));
    if (fitting.length === 0) return undefined;
    const read = userIn(user);
    if (read === undefined) return { refused: 'webhook: the answer names no user' };
    return { user: read, audiences: fitting, rememberMs: this.#options.cacheMs };
  }
}

function userIn(value: Json | undefined): User | undefined {
  if (!isJsonObject(value) || typeof value.username !== 'string' || value.username === '') return undefined;
  const { username: name, uid, extra } = value;
  const more = isJsonObject(extra) ? Object.entries(extra).map(([key, values]) => [key, textsIn(values)] as const) : [];
  return {
    name,
    uid: typeof uid === 'string' ? uid : '',
    groups: withAuthenticated(name, textsIn(value.groups)),
    ...(more.length > 0 && { extra: Object.fromEntries(more) }),
  };
}

function textsIn(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
