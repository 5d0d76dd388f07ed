import type { Program } from '@tidegate/cel';
import type { RequestInfo } from '@tidegate/request-info';
import { isJsonObject, type JsonObject } from '@tidegate/schema';
import type { OperatorsWebhook } from '../../callouts/operators-webhook.ts';
import { Remembered } from '../../callouts/remembered.ts';
import { WebhookFailure } from '../../callouts/webhook-calls.ts';
import type { User } from '../../request/user.ts';
import { reviewSpec } from './access-review.ts';
import { matches } from './match-conditions.ts';

/** What a webhook says of a question. Without an opinion the next is asked. */
export interface Opinion {
  readonly says: 'allow' | 'deny' | 'nothing';
  readonly reason: string;
}

export interface AccessWebhookOptions {
  readonly name: string;
  readonly webhook: Pick<OperatorsWebhook, 'ask'>;
  /** of the review that it is sent */
  readonly version: string;
  readonly authorizedMs: number;
  readonly unauthorizedMs: number;
  /** what it counts as when it cannot be asked */
  readonly onFailure: 'nothing' | 'deny';
  /** it is asked where all hold */
  readonly conditions: readonly Program[];
  /** why it could not be asked */
  readonly warn: (words: string) => void;
  readonly now?: () => number;
}

const REMEMBERED = 8192;
/** What is asked beforehand must still be known when it is needed. */
const LEAST_MS = 1000;
/** A question that is longer is not kept. */
const LONGEST = 10_000;
const GROUP = 'authorization.k8s.io';
const NOTHING: Opinion = { says: 'nothing', reason: '' };

/**
 * A webhook that says who may do what.
 *
 * Invariant: about the same question it is asked once at a time, and its opinion counts for its time. That it did not answer
 * is not remembered, and is what the failure policy makes of it.
 */
export class AccessWebhook {
  readonly #options: AccessWebhookOptions;
  readonly #opinions: Remembered<Opinion>;
  readonly #asking = new Map<string, Promise<Opinion>>();

  constructor(options: AccessWebhookOptions) {
    this.#options = options;
    this.#opinions = new Remembered(REMEMBERED, options.now);
  }

  /** What is known without asking; undefined: it has to be asked. */
  known(user: User, info: RequestInfo): Opinion | undefined {
    const spec = reviewSpec(user, info);
    return this.#unconcerned(spec) ?? this.#opinions.get(JSON.stringify(spec));
  }

  /** The opinion where it cannot be asked. */
  get failure(): Opinion {
    return { says: this.#options.onFailure, reason: '' };
  }

  async ask(user: User, info: RequestInfo): Promise<Opinion> {
    const spec = reviewSpec(user, info);
    const key = JSON.stringify(spec);
    const known = this.#unconcerned(spec) ?? this.#opinions.get(key);
    if (known !== undefined) return known;
    const joined = this.#asking.get(key);
    if (joined !== undefined) return joined;
    const answer = this.#ask(spec, key).finally(() => this.#asking.delete(key));
    this.#asking.set(key, answer);
    return answer;
  }

  #unconcerned(spec: JsonObject): Opinion | undefined {
    const { conditions } = this.#options;
    if (conditions.length === 0) return undefined;
    const isMatch = matches(conditions, spec);
    return isMatch === true ? undefined : isMatch === 'failed' ? this.failure : NOTHING;
  }

  async #ask(spec: JsonObject, key: string): Promise<Opinion> {
    const { name, webhook, version, authorizedMs, unauthorizedMs, warn } = this.#options;
    try {
      const sent = version === 'v1' ? spec : inOldForm(spec);
      const { kind, status } = await webhook.ask({
        kind: 'SubjectAccessReview',
        apiVersion: `${GROUP}/${version}`,
        spec: sent,
      });
      if (kind !== 'SubjectAccessReview' || !isJsonObject(status)) {
        throw new WebhookFailure('the answer is no SubjectAccessReview');
      }
      const opinion = opinionIn(status);
      const forMs = opinion.says === 'allow' ? authorizedMs : unauthorizedMs;
      if (key.length <= LONGEST) this.#opinions.put(key, opinion, Math.max(forMs, LEAST_MS));
      return opinion;
    } catch (error) {
      if (!(error instanceof WebhookFailure)) throw error;
      warn(`the authorization webhook ${name} could not be asked: ${error.message}`);
      return this.failure;
    }
  }
}

function opinionIn({ allowed, denied, reason }: JsonObject): Opinion {
  const says = denied === true ? 'deny' : allowed === true ? 'allow' : 'nothing';
  return { says, reason: typeof reason === 'string' ? reason : '' };
}

/** Groups had another name. */
function inOldForm({ groups, ...spec }: JsonObject): JsonObject {
  return groups === undefined ? spec : { ...spec, group: groups };
}
