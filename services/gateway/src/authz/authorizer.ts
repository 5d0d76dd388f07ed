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
/** They answer for this process alone, whatever is known of roles. */
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
 * Who may do what: members of system:masters everything, everybody the probes, and others what roles allow, or webhooks,
 * in the order of the modes.
 *
 * Invariant: nobody is let in by roles that may be older than five seconds, and nobody is refused by roles that are older
 * than the refusal. Where that cannot be known the answer is 503.
 */
export class Authorizer {
  readonly #steps: AuthorizationModes['steps'];
  readonly #mirror: KnownRoles;
  readonly #hasRoles: boolean;
  readonly #hasWebhooks: boolean;
  /** nobody is asked before everybody is let in */
  readonly #isOpen: boolean;

  constructor({ steps }: AuthorizationModes, mirror: KnownRoles) {
    this.#steps = steps;
    this.#mirror = mirror;
    this.#hasRoles = steps.includes('roles');
    this.#hasWebhooks = steps.some((step) => typeof step === 'object');
    this.#isOpen = steps.includes('everybody') && !this.#hasWebhooks;
  }

  /** Why a request is refused; undefined: it may go on. Where it is known to be allowed nothing is waited for. */
  refusal(user: User, info: RequestInfo): undefined | Promise<ApiError | undefined> {
    if (this.#isCertain(user) || isProbe(info)) return undefined;
    if (this.#isFresh && this.knownDecision(user, info)?.allowed) return undefined;
    return this.#latestRefusal(user, info);
  }

  /** The same for what a request asks for beside itself. */
  async demand(user: User, info: RequestInfo): Promise<void> {
    const refused = await this.refusal(user, info);
    if (refused !== undefined) throw refused;
  }

  /** Whether one of these is allowed, as things are now where as they are known here none is. */
  async may(user: User, ...infos: readonly RequestInfo[]): Promise<boolean> {
    if (this.#isCertain(user)) return true;
    if (this.#isFresh && infos.some((info) => this.knownDecision(user, info)?.allowed)) return true;
    for (const info of infos) if ((await this.judge(user, info)).allowed) return true;
    return false;
  }

  /** What is decided by roles as they are now, and by webhooks. */
  async judge(user: User, info: RequestInfo): Promise<Decision> {
    if (this.#isCertain(user)) return ALLOWED;
    return this.#asked(user, info, () => this.latest());
  }

  /** What is decided as things are known here; a webhook that would have to be asked is as good as one that is away. */
  decide(user: User, info: RequestInfo): Decision {
    if (this.#isCertain(user)) return ALLOWED;
    return this.#walk(user, info, (webhook) => webhook.known(user, info) ?? webhook.failure) ?? REFUSED;
  }

  /** The same; undefined: a webhook would have to be asked. */
  knownDecision(user: User, info: RequestInfo): Decision | undefined {
    if (this.#isCertain(user)) return ALLOWED;
    return this.#walk(user, info, (webhook) => webhook.known(user, info));
  }

  /** Why a running request would be refused, by roles as they are known here. */
  recheck(user: User, info: RequestInfo): ApiError | undefined | Promise<ApiError | undefined> {
    const known = this.knownDecision(user, info);
    if (known !== undefined) return refusalIn(user, info, known);
    return this.#asked(user, info).then((decision) => refusalIn(user, info, decision));
  }

  /** Resolves when roles are known as they were less than five seconds ago. */
  async known(): Promise<void> {
    if (!this.#isFresh) await this.latest();
  }

  /** Resolves when roles are known as they are now. */
  async latest(): Promise<void> {
    if (!this.#hasRoles) return;
    await this.#mirror.latest().catch((error: unknown) => {
      if (error instanceof ApiError) throw error;
      throw serviceUnavailable('roles are not known as they are now, please try again');
    });
  }

  /** All that a user may do in a namespace, as rules; what webhooks allow is not among them. */
  rulesFor(user: User, namespace: string): { rules: readonly PolicyRule[]; missing: string } {
    if (this.#isOpen) return { rules: EVERYTHING, missing: '' };
    const { rules, missing } = this.#hasRoles ? this.#mirror.policy.rulesFor(user, namespace) : NO_RULES;
    if (!this.#hasWebhooks) return { rules, missing };
    return { rules, missing: [missing, NOT_RULES].filter((words) => words !== '').join(', ') };
  }

  /** Whether rules tell only a part of what somebody may do. */
  get hasMoreThanRules(): boolean {
    return this.#hasWebhooks;
  }

  /** What a role says; undefined: it is not there. */
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

  /** Asks one after another, until somebody says something; `before`: roles are looked at. */
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

  /** What comes of all opinions; undefined: one is missing before there is a decision. */
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

  #ownOpinion(step: 'roles' | 'everybody', user: User, info: RequestInfo): Opinion {
    if (step === 'everybody') return { says: 'allow', reason: '' };
    const { allowed, reason } = this.#mirror.policy.decide(user, info.namespace, ruleAttributesOf(info));
    return { says: allowed ? 'allow' : 'nothing', reason };
  }
}

/** undefined: the next is asked. */
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
