import type { PolicyRule } from '@tidegate/rbac';
import type { RequestInfo } from '@tidegate/request-info';
import { ApiError, forbidden, serviceUnavailable } from '@tidegate/status';
import type { User } from '../request/user.ts';
import type { AccessWebhook, Opinion } from './access-webhook.ts';
import type { RoleRef } from './binding.ts';
import type { AuthorizationModes } from './modes.ts';
import type { Decision } from './policy.ts';
import type { PolicyMirror } from './policy-mirror.ts';
import { nameIn, ruleAttributesOf } from './request-attributes.ts';

export const MASTERS = 'system:masters';
/** Probes report on this process only and need no authorization. */
const PROBES = new Set(['/livez', '/readyz', '/healthz']);

function isProbe({ isResource, verb, path }: RequestInfo): boolean {
  return !isResource && verb === 'get' && PROBES.has(path);
}

type KnownRoles = Pick<PolicyMirror, 'policy' | 'isFresh' | 'latest'>;

const ALLOWED: Decision = { allowed: true, reason: '' };
const REFUSED: Decision = { allowed: false, reason: '' };
const NO_RULES = { rules: [], missing: '' };
const NOT_RULES = 'webhook authorizer does not support user rule resolution';
export const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/**
 * Authorizes requests. Members of system:masters may do everything, and every client may call the probes; all other
 * requests are decided by roles and webhooks, in the order of the modes.
 *
 * Invariant: a request is never allowed by roles that may be more than five seconds old, and never refused by roles
 * that are older than the refusal. Where the age of the roles is unknown the answer is 503.
 */
export class Authorizer {
  readonly #steps: AuthorizationModes['steps'];
  readonly #mirror: KnownRoles;
  readonly #hasRoles: boolean;
  readonly #hasWebhooks: boolean;
  /** AlwaysAllow, with no webhook that could deny before it */
  readonly #isOpen: boolean;

  constructor({ steps }: AuthorizationModes, mirror: KnownRoles) {
    this.#steps = steps;
    this.#mirror = mirror;
    this.#hasRoles = steps.includes('roles');
    this.#hasWebhooks = steps.some((step) => typeof step === 'object');
    this.#isOpen = steps.includes('allow-all') && !this.#hasWebhooks;
  }

  /** The error that refuses a request; undefined: it is allowed. Synchronous where fresh roles allow it. */
  refusal(user: User, info: RequestInfo): undefined | Promise<ApiError | undefined> {
    if (this.#isCertain(user) || isProbe(info)) return undefined;
    if (this.#isFresh && this.knownDecision(user, info)?.allowed) return undefined;
    return this.#latestRefusal(user, info);
  }

  /** The same for a right that a request needs besides its own; throws the error. */
  async demand(user: User, info: RequestInfo): Promise<void> {
    const error = await this.refusal(user, info);
    if (error !== undefined) throw error;
  }

  /** Whether one of these is allowed. The current roles are loaded where the mirrored ones allow none. */
  async may(user: User, ...infos: readonly RequestInfo[]): Promise<boolean> {
    if (this.#isCertain(user)) return true;
    if (this.#isFresh && infos.some((info) => this.knownDecision(user, info)?.allowed)) return true;
    for (const info of infos) if ((await this.decide(user, info)).allowed) return true;
    return false;
  }

  /** The decision by current roles and by webhooks. */
  async decide(user: User, info: RequestInfo): Promise<Decision> {
    if (this.#isCertain(user)) return ALLOWED;
    return this.#asked(user, info, () => this.latest());
  }

  /** The decision without waiting; a webhook without a cached answer counts as one that failed. */
  decideNow(user: User, info: RequestInfo): Decision {
    if (this.#isCertain(user)) return ALLOWED;
    return this.#walk(user, info, (webhook) => webhook.known(user, info) ?? webhook.failure) ?? REFUSED;
  }

  /** The same; undefined: a webhook has no cached answer. */
  knownDecision(user: User, info: RequestInfo): Decision | undefined {
    if (this.#isCertain(user)) return ALLOWED;
    return this.#walk(user, info, (webhook) => webhook.known(user, info));
  }

  /** The error that would refuse a running request, by the mirrored roles. */
  recheck(user: User, info: RequestInfo): ApiError | undefined | Promise<ApiError | undefined> {
    const known = this.knownDecision(user, info);
    if (known !== undefined) return refusalIn(user, info, known);
    return this.#asked(user, info).then((decision) => refusalIn(user, info, decision));
  }

  /** Resolves when the mirrored roles are less than five seconds old. */
  async known(): Promise<void> {
    if (!this.#isFresh) await this.latest();
  }

  /** Resolves when the mirrored roles are current. */
  async latest(): Promise<void> {
    if (!this.#hasRoles) return;
    await this.#mirror.latest().catch((error: unknown) => {
      if (error instanceof ApiError) throw error;
      throw serviceUnavailable('the current roles are not loaded yet; retry shortly');
    });
  }

  /** All rules that apply to a user in a namespace; rights that webhooks grant are not included. */
  rulesFor(user: User, namespace: string): { rules: readonly PolicyRule[]; missing: string } {
    if (this.#isOpen) return { rules: EVERYTHING, missing: '' };
    const { rules, missing } = this.#hasRoles ? this.#mirror.policy.rulesFor(user, namespace) : NO_RULES;
    if (!this.#hasWebhooks) return { rules, missing };
    return { rules, missing: [missing, NOT_RULES].filter((words) => words !== '').join(', ') };
  }

  /** Whether rules describe only a part of a user's rights. */
  get hasMoreThanRules(): boolean {
    return this.#hasWebhooks;
  }

  /** The rules of a role; undefined: it does not exist. */
  rulesOf(ref: RoleRef): readonly PolicyRule[] | undefined {
    return this.#mirror.policy.rulesOf(ref);
  }

  #isCertain({ groups }: User): boolean {
    return this.#isOpen || groups.includes(MASTERS);
  }

  get #isFresh(): boolean {
    return !this.#hasRoles || this.#mirror.isFresh;
  }

  async #latestRefusal(user: User, info: RequestInfo): Promise<ApiError | undefined> {
    return refusalIn(user, info, await this.#asked(user, info, () => this.latest()));
  }

  /** Asks each authorizer in order, until one decides. `before` runs before roles are evaluated. */
  async #asked(user: User, info: RequestInfo, before?: () => Promise<void>): Promise<Decision> {
    const reasons: string[] = [];
    for (const step of this.#steps) {
      if (step === 'roles') await before?.();
      const opinion = typeof step === 'object' ? await step.ask(user, info) : this.#ownOpinion(step, user, info);
      const decision = decisionBy(opinion, reasons);
      if (decision !== undefined) return decision;
    }
    return refusedFor(reasons);
  }

  /** The decision from all opinions; undefined: an opinion is missing before one decides. */
  #walk(
    user: User,
    info: RequestInfo,
    opinionOf: (webhook: AccessWebhook) => Opinion | undefined,
  ): Decision | undefined {
    const reasons: string[] = [];
    for (const step of this.#steps) {
      const opinion = typeof step === 'object' ? opinionOf(step) : this.#ownOpinion(step, user, info);
      if (opinion === undefined) return undefined;
      const decision = decisionBy(opinion, reasons);
      if (decision !== undefined) return decision;
    }
    return refusedFor(reasons);
  }

  #ownOpinion(step: 'roles' | 'allow-all', user: User, info: RequestInfo): Opinion {
    if (step === 'allow-all') return { says: 'allow', reason: '' };
    const { allowed, reason } = this.#mirror.policy.decide(user, info.namespace, ruleAttributesOf(info));
    return { says: allowed ? 'allow' : 'nothing', reason };
  }
}

/** undefined: the next authorizer decides. */
function decisionBy({ says, reason }: Opinion, reasons: string[]): Decision | undefined {
  if (says === 'allow') return { allowed: true, reason };
  if (says === 'deny') return { allowed: false, denied: true, reason };
  if (reason !== '') reasons.push(reason);
  return undefined;
}

function refusedFor(reasons: readonly string[]): Decision {
  return { allowed: false, reason: reasons.join('\n') };
}

function refusalIn(user: User, info: RequestInfo, decision: Decision): ApiError | undefined {
  return decision.allowed ? undefined : refusalOf(user, info, decision);
}

function refusalOf(user: User, info: RequestInfo, { reason: why }: Decision): ApiError {
  const { isResource, verb, group, resource, subresource, namespace, path } = info;
  if (!isResource) return forbidden({ user: user.name, verb, path, why });
  const name = nameIn(info);
  return forbidden({ user: user.name, verb, ref: { group, resource }, subresource, name, namespace, why });
}
