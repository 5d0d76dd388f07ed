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

/** The opinion of a webhook on a request. `nothing`: the next authorizer decides. */
export interface Opinion {
  readonly says: 'allow' | 'deny' | 'nothing';
  readonly reason: string;
}

export interface AccessWebhookOptions {
  readonly name: string;
  readonly webhook: Pick<OperatorsWebhook, 'ask'>;
  /** the version of SubjectAccessReview */
  readonly version: string;
  readonly authorizedMs: number;
  readonly unauthorizedMs: number;
  /** the opinion when the call fails */
  readonly onFailure: 'nothing' | 'deny';
  /** it is asked only about requests that meet all conditions */
  readonly conditions: readonly Program[];
  /** gets the reason of each failed call */
  readonly warn: (words: string) => void;
  readonly now?: () => number;
}

const MOST_CACHED = 8192;
/** The shortest cache time: an answer that is fetched in advance must still be cached when it is used. */
const LEAST_MS = 1000;
/** Answers to longer reviews are not cached. */
const LONGEST = 10_000;
const GROUP = 'authorization.k8s.io';
const NOTHING: Opinion = { says: 'nothing', reason: '' };

/**
 * Authorizes with a SubjectAccessReview webhook.
 *
 * Invariant: for the same review at most one call is in flight, and its opinion is cached for the configured time. A
 * failed call is not cached; its opinion comes from the failure policy.
 */
export class AccessWebhook {
  readonly #options: AccessWebhookOptions;
  readonly #opinions: ExpiringCache<Opinion>;
  readonly #asking = new Map<string, Promise<Opinion>>();

  constructor(options: AccessWebhookOptions) {
    this.#options = options;
    this.#opinions = new ExpiringCache(MOST_CACHED, options.now);
  }

  /** The opinion without a call; undefined: a call is needed. */
  known(user: User, info: RequestInfo): Opinion | undefined {
    const spec = reviewSpec(user, info);
    return this.#withoutCall(spec) ?? this.#opinions.get(JSON.stringify(spec));
  }

  /** The opinion when the call fails. */
  get failure(): Opinion {
    return { says: this.#options.onFailure, reason: '' };
  }

  async ask(user: User, info: RequestInfo): Promise<Opinion> {
    const spec = reviewSpec(user, info);
    const key = JSON.stringify(spec);
    const known = this.#withoutCall(spec) ?? this.#opinions.get(key);
    if (known !== undefined) return known;
    const joined = this.#asking.get(key);
    if (joined !== undefined) return joined;
    const answer = this.#ask(spec, key).finally(() => this.#asking.delete(key));
    this.#asking.set(key, answer);
    return answer;
  }

  #withoutCall(spec: JsonObject): Opinion | undefined {
    const { conditions } = this.#options;
    if (conditions.length === 0) return undefined;
    const isMatch = matches(conditions, spec);
    return isMatch === true ? undefined : isMatch === 'failed' ? this.failure : NOTHING;
  }

  async #ask(spec: JsonObject, key: string): Promise<Opinion> {
    const { name, webhook, version, authorizedMs, unauthorizedMs, warn } = this.#options;
    try {
      const sent = version === 'v1' ? spec : inV1beta1(spec);
      const { kind, status } = await webhook.ask({
        kind: 'SubjectAccessReview',
        apiVersion: `${GROUP}/${version}`,
        spec: sent,
      });
      if (kind !== 'SubjectAccessReview' || !isJsonObject(status)) {
        throw new WebhookFailure('the answer is not a SubjectAccessReview');
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

/** v1beta1 names the groups `group`. */
function inV1beta1({ groups, ...spec }: JsonObject): JsonObject {
  return groups === undefined ? spec : { ...spec, group: groups };
}

/** The spec of a SubjectAccessReview; empty attributes are omitted. */
export function reviewSpec({ name, uid, groups, extra }: User, info: RequestInfo): JsonObject {
  const what = info.isResource
    ? { resourceAttributes: resourceAttributes(info) }
    : { nonResourceAttributes: nonEmpty({ path: info.path, verb: info.verb }) };
  const more = Object.entries(extra ?? {}).map(([key, values]): [string, string[]] => [key, [...values]]);
  return {
    ...what,
    ...nonEmpty({ user: name }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(more.length === 0 ? {} : { extra: Object.fromEntries(more) }),
    ...nonEmpty({ uid }),
  };
}

function resourceAttributes(info: RequestInfo): JsonObject {
  const { namespace, verb, group, version, resource, subresource } = info;
  const requirements = fieldRequirements(info);
  return {
    ...nonEmpty({ namespace, verb, group, version, resource, subresource, name: nameIn(info) }),
    ...(requirements.length === 0 ? {} : { fieldSelector: { requirements } }),
  };
}

function nonEmpty(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
}

const SELECTING = new Set(['list', 'watch', 'deletecollection']);

/** The requirements of the field selector. An invalid selector is omitted here and reported where the list is made. */
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
