import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import { ExpiringCache } from '../callouts/expiring-cache.ts';
import type { OperatorsWebhook } from '../callouts/operators-webhook.ts';
import { WebhookFailure } from '../callouts/webhook-calls.ts';
import { type User, withAuthenticated } from '../request/user.ts';
import type { BearerToken, TokenAuthority, TokenVerdict } from './token-authority.ts';

interface TokenWebhookOptions {
  readonly webhook: Pick<OperatorsWebhook, 'ask'>;
  /** of the review that it is sent */
  readonly version: string;
  readonly cacheMs: number;
  /** what this server is called in tokens */
  readonly audiences: readonly string[];
  readonly now?: () => number;
}

const MOST_CACHED = 10_000;
/** Tokens are made up faster than a webhook can say so. */
const MOST_AT_ONCE = 200;
const GROUP = 'authentication.k8s.io';

/**
 * A webhook that knows whose tokens are.
 *
 * Invariant: about one token and the same audiences it is asked once at a time, and not again while its answer counts. That
 * it did not answer is not remembered.
 */
export class TokenWebhook implements TokenAuthority {
  readonly isForUsAlone = false;
  readonly #options: TokenWebhookOptions;
  /** whose tokens are nobody's; those of users are remembered where users are */
  readonly #refused: ExpiringCache<TokenVerdict | 'nobody'>;
  readonly #asking = new Map<string, Promise<TokenVerdict | undefined>>();

  constructor(options: TokenWebhookOptions) {
    this.#options = options;
    this.#refused = new ExpiringCache(MOST_CACHED, options.now);
  }

  judge(token: BearerToken, asked: readonly string[] = this.#options.audiences): Promise<TokenVerdict | undefined> {
    const key = JSON.stringify([token.digest, ...asked]);
    const known = this.#refused.get(key);
    if (known !== undefined) return Promise.resolve(known === 'nobody' ? undefined : known);
    const joined = this.#asking.get(key);
    if (joined !== undefined) return joined;
    if (this.#asking.size >= MOST_AT_ONCE) {
      return Promise.resolve({ refused: 'webhook: it is being asked about too many tokens' });
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
        throw new WebhookFailure('the answer is no TokenReview');
    } catch (error) {
      if (error instanceof WebhookFailure) return { refused: `webhook: ${error.message}` };
      throw error;
    }
    const verdict = this.#read(status, asked);
    if (verdict === undefined || 'refused' in verdict) this.#refused.put(key, verdict ?? 'nobody', cacheMs);
    return verdict;
  }

  /** A webhook that says nothing of audiences answers for this server. */
  #read({ authenticated, audiences, error, user }: JsonObject, asked: readonly string[]): TokenVerdict | undefined {
    if (authenticated !== true) return typeof error === 'string' && error !== '' ? { refused: error } : undefined;
    const told = textsIn(audiences);
    const fitting = asked.filter((one) => (told.length > 0 ? told : this.#options.audiences).includes(one));
    if (fitting.length === 0) return undefined;
    const read = userIn(user);
    if (read === undefined) return { refused: 'webhook: it names no user' };
    return { user: read, audiences: fitting, rememberMs: this.#options.cacheMs };
  }
}

function userIn(told: Json | undefined): User | undefined {
  if (!isJsonObject(told) || typeof told.username !== 'string' || told.username === '') return undefined;
  const { username: name, uid, extra } = told;
  const more = isJsonObject(extra) ? Object.entries(extra).map(([key, values]) => [key, textsIn(values)] as const) : [];
  return {
    name,
    uid: typeof uid === 'string' ? uid : '',
    groups: withAuthenticated(name, textsIn(told.groups)),
    ...(more.length > 0 && { extra: Object.fromEntries(more) }),
  };
}

function textsIn(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
