import type { RequestInfo } from '@tidegate/request-info';
import type { User } from '../request/user.ts';

/** How much is recorded of a request; each level includes those before it. */
export const levels = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
export type Level = (typeof levels)[number];

/** The stages at which events are recorded. */
export const stages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
export type Stage = (typeof stages)[number];

export interface ResourceRule {
  readonly group: string;
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

/** An empty list matches everything. */
export interface AuditRule {
  readonly level: Level;
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly resources: readonly ResourceRule[];
  readonly namespaces: readonly string[];
  readonly nonResourceURLs: readonly string[];
  readonly omitStages: ReadonlySet<Stage>;
  readonly omitManagedFields: boolean;
}

/** What to record of one request. */
export type Wanted = Pick<AuditRule, 'level' | 'omitStages' | 'omitManagedFields'>;

/** The bodies of these requests hold secrets, and are never recorded, whatever the policy says. */
const SECRET = new Set(['/secrets', '/serviceaccounts/token', 'authentication.k8s.io/tokenreviews']);

/** The first matching rule determines what is recorded of a request; without one nothing is recorded. */
export class AuditPolicy {
  readonly #rules: readonly AuditRule[];

  constructor(rules: readonly AuditRule[]) {
    this.#rules = rules;
  }

  /** info undefined: the path is not served */
  wanted(user: User, info: RequestInfo | undefined): Wanted | undefined {
    const rule = this.#rules.find((one) => isAbout(one, user, info));
    if (rule === undefined || rule.level === 'None') return undefined;
    return info !== undefined && isSecret(info) && rule.level !== 'Metadata' ? { ...rule, level: 'Metadata' } : rule;
  }
}

function isSecret({ group, resource, subresource }: RequestInfo): boolean {
  return SECRET.has(`${group}/${resource}`) || SECRET.has(`${group}/${resource}/${subresource}`);
}

function isAbout(rule: AuditRule, user: User, info: RequestInfo | undefined): boolean {
  const { users, userGroups, verbs, namespaces, resources, nonResourceURLs } = rule;
  if (users.length > 0 && !users.includes(user.name)) return false;
  if (userGroups.length > 0 && !userGroups.some((group) => user.groups.includes(group))) return false;
  if (verbs.length > 0 && !verbs.includes(info?.verb ?? '')) return false;
  if (namespaces.length > 0 || resources.length > 0) return info?.isResource === true && isResourceOf(rule, info);
  if (nonResourceURLs.length === 0) return true;
  return info?.isResource === false && nonResourceURLs.some((pattern) => isPathOf(pattern, info.path));
}

function isResourceOf({ namespaces, resources }: AuditRule, info: RequestInfo): boolean {
  if (namespaces.length > 0 && !namespaces.includes(info.namespace)) return false;
  return resources.length === 0 || resources.some((one) => isNamed(one, info));
}

function isNamed({ group, resources, resourceNames }: ResourceRule, info: RequestInfo): boolean {
  if (group !== info.group) return false;
  if (resources.length === 0) return true;
  if (resourceNames.length > 0 && !resourceNames.includes(info.name)) return false;
  const { resource, subresource } = info;
  const whole = subresource === '' ? resource : `${resource}/${subresource}`;
  return resources.some((pattern) => {
    if (pattern === '*' || pattern === whole || pattern === `${resource}/*`) return true;
    return subresource !== '' && pattern === `*/${subresource}`;
  });
}

function isPathOf(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : pattern === path;
}
