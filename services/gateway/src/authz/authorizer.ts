import type { Deed, PolicyRule } from '@tidegate/rbac';
import type { RequestInfo } from '@tidegate/request-info';
import type { Revision } from '@tidegate/revision';
import { parseFieldSelector } from '@tidegate/selectors';
import { ApiError, forbidden, serviceUnavailable } from '@tidegate/status';
import type { User } from '../authn/user.ts';
import type { RoleRef } from './binding.ts';
import type { AuthorizationModes } from './modes.ts';
import type { Decision } from './policy.ts';
import type { PolicyMirror } from './policy-mirror.ts';

export const MASTERS = 'system:masters';
/** They answer for this process alone, whatever is known of roles. */
const PROBES = new Set(['/livez', '/readyz', '/healthz']);

type KnownRoles = Pick<PolicyMirror, 'policy' | 'isFresh' | 'latest' | 'through'>;

const ALLOWED: Decision = { allowed: true, reason: '' };
const REFUSED: Decision = { allowed: false, reason: '' };
export const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/**
 * Who may do what: members of system:masters everything, everybody the probes, and others what roles allow.
 *
 * Invariant: nobody is let in by roles that may be older than five seconds, and nobody is refused by roles that are older
 * than the refusal. Where that cannot be known the answer is 503.
 */
export class Authorizer {
  readonly #modes: AuthorizationModes;
  readonly #mirror: KnownRoles;

  constructor(modes: AuthorizationModes, mirror: KnownRoles) {
    this.#modes = modes;
    this.#mirror = mirror;
  }

  /** Why a request is refused; undefined: it may go on. Where roles allow it nothing is waited for. */
  refusal(user: User, info: RequestInfo): undefined | Promise<ApiError | undefined> {
    if (this.#isCertain(user) || (!info.isResource && PROBES.has(info.path))) return undefined;
    if (this.#mirror.isFresh && this.decide(user, info).allowed) return undefined;
    return this.#latestRefusal(user, info);
  }

  /** The same for what a request asks for beside itself. */
  async demand(user: User, info: RequestInfo): Promise<void> {
    const refused = await this.refusal(user, info);
    if (refused !== undefined) throw refused;
  }

  /** Whether one of these is allowed, by roles as they are now where as they are known here none is. */
  async may(user: User, ...infos: readonly RequestInfo[]): Promise<boolean> {
    const isAllowed = () => infos.some((info) => this.decide(user, info).allowed);
    if (this.#isCertain(user) || (this.#mirror.isFresh && isAllowed())) return true;
    await this.latest();
    return isAllowed();
  }

  /** What is decided by roles as they are now. */
  async judge(user: User, info: RequestInfo): Promise<Decision> {
    if (this.#isCertain(user)) return ALLOWED;
    await this.latest();
    return this.decide(user, info);
  }

  /** What is decided by roles as they are known here. */
  decide(user: User, info: RequestInfo): Decision {
    if (this.#isCertain(user)) return ALLOWED;
    return this.#modes.byRoles ? this.#mirror.policy.decide(user, info.namespace, deedOf(info)) : REFUSED;
  }

  /** Why a request would be refused, as far as is known here. */
  knownRefusal(user: User, info: RequestInfo): ApiError | undefined {
    const decision = this.decide(user, info);
    return decision.allowed ? undefined : refusalOf(user, info, decision);
  }

  /** Resolves when roles are known as they were less than five seconds ago. */
  async known(): Promise<void> {
    if (!this.#mirror.isFresh) await this.latest();
  }

  /** Resolves when roles are known as they are now. */
  async latest(): Promise<void> {
    if (!this.#modes.byRoles) return;
    await this.#mirror.latest().catch((error: unknown) => {
      if (error instanceof ApiError) throw error;
      throw serviceUnavailable('roles are not known as they are now, please try again');
    });
  }

  through(resource: string, revision: Revision): Promise<void> {
    return this.#mirror.through(resource, revision);
  }

  /** All that a user may do in a namespace, as rules. */
  rulesFor(user: User, namespace: string): { rules: readonly PolicyRule[]; missing: string } {
    if (this.#modes.always) return { rules: EVERYTHING, missing: '' };
    return this.#modes.byRoles ? this.#mirror.policy.rulesFor(user, namespace) : { rules: [], missing: '' };
  }

  /** What a role says; undefined: it is not there. */
  rulesOf(ref: RoleRef): readonly PolicyRule[] | undefined {
    return this.#mirror.policy.rulesOf(ref);
  }

  #isCertain({ groups }: User): boolean {
    return this.#modes.always || groups.includes(MASTERS);
  }

  async #latestRefusal(user: User, info: RequestInfo): Promise<ApiError | undefined> {
    await this.latest();
    return this.knownRefusal(user, info);
  }
}

function refusalOf(user: User, info: RequestInfo, { reason: why }: Decision): ApiError {
  const { isResource, verb, group, resource, subresource, namespace, path } = info;
  if (!isResource) return forbidden({ user: user.name, verb, path, why });
  const name = nameIn(info);
  return forbidden({ user: user.name, verb, ref: { group, resource }, subresource, name, namespace, why });
}

function deedOf(info: RequestInfo): Deed {
  if (!info.isResource) return { isResource: false, verb: info.verb, path: info.path };
  const { verb, group, resource, subresource } = info;
  return { isResource: true, verb, group, resource, subresource, name: nameIn(info) };
}

/** A list or watch of one name is about that name. */
function nameIn({ name, verb, query }: RequestInfo): string {
  if (name !== '' || (verb !== 'list' && verb !== 'watch')) return name;
  const text = query.get('fieldSelector');
  if (text === undefined || !text.includes('metadata.name')) return name;
  try {
    const { requirements = [] } = parseFieldSelector(text, () => true) ?? {};
    const named = requirements.find(({ field, equal }) => field === 'metadata.name' && equal)?.value ?? '';
    return named.includes('/') || named.includes('%') || named === '.' || named === '..' ? '' : named;
  } catch (error) {
    // what it means is said where the list is made
    if (error instanceof ApiError) return name;
    throw error;
  }
}
