import type { Program } from '@tidegate/cel';
import type { RequestInfo } from '@tidegate/request-info';
import { isJsonObject, type JsonObject } from '@tidegate/schema';
import { parseFieldSelector } from '@tidegate/selectors';
import { ApiError } from '@tidegate/status';
import { ExpiringCache } from '../callouts/expiring-cache.ts';
import type { OperatorsWebhook } from '../callouts/operators-webhook.ts';
import { WebhookFailure } from '../callouts/webhook-calls.ts';
import type { User } from '../request/user.ts';
import { matches } from './match-conditions.ts';
import { nameIn } from './request-attributes.ts';

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

const MOST_CACHED = 8192;
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
  readonly #opinions: ExpiringCache<Opinion>;
  readonly #asking = new Map<string, Promise<Opinion>>();

  constructor(options: AccessWebhookOptions) {
    this.#options = options;
    this.#opinions = new ExpiringCache(MOST_CACHED, options.now);
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

/** Whether somebody may do something, as a SubjectAccessReview asks it. What is empty is left out. */
export function reviewSpec({ name, uid, groups, extra }: User, info: RequestInfo): JsonObject {
  const what = info.isResource
    ? { resourceAttributes: resourceAttributes(info) }
    : { nonResourceAttributes: said({ path: info.path, verb: info.verb }) };
  const more = Object.entries(extra ?? {}).map(([key, values]): [string, string[]] => [key, [...values]]);
  return {
    ...what,
    ...said({ user: name }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(more.length === 0 ? {} : { extra: Object.fromEntries(more) }),
    ...said({ uid }),
  };
}

function resourceAttributes(info: RequestInfo): JsonObject {
  const { namespace, verb, group, version, resource, subresource } = info;
  const requirements = fieldRequirements(info);
  return {
    ...said({ namespace, verb, group, version, resource, subresource, name: nameIn(info) }),
    ...(requirements.length === 0 ? {} : { fieldSelector: { requirements } }),
  };
}

function said(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
}

const SELECTING = new Set(['list', 'watch', 'deletecollection']);

/** They only narrow what is asked for: what cannot be read is left out, and said where the list is made. */
function fieldRequirements({ verb, query }: RequestInfo): JsonObject[] {
  const text = SELECTING.has(verb) ? query.get('fieldSelector') : undefined;
  if (text === undefined) return [];
  try {
    const { requirements = [] } = parseFieldSelector(text, () => true) ?? {};
    return requirements.map(({ field: key, equal, value }) => ({
      key,
      operator: equal ? 'In' : 'NotIn',
      values: [value],
    }));
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
}
