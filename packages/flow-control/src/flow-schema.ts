/** The spec of a stored FlowSchema. */
export interface FlowSchemaSpec {
  readonly priorityLevelConfiguration: { readonly name: string };
  readonly matchingPrecedence: number;
  readonly distinguisherMethod?: { readonly type: 'ByUser' | 'ByNamespace' };
  readonly rules?: readonly FlowRule[];
}

interface FlowRule {
  readonly subjects?: readonly FlowSubject[];
  readonly resourceRules?: readonly ResourceRule[];
  readonly nonResourceRules?: ReadonlyArray<{
    readonly verbs: readonly string[];
    readonly nonResourceURLs: readonly string[];
  }>;
}

interface FlowSubject {
  readonly kind: 'User' | 'Group' | 'ServiceAccount';
  readonly user?: { readonly name: string };
  readonly group?: { readonly name: string };
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
}

interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly clusterScope?: boolean;
  readonly namespaces?: readonly string[];
}

/** The user of a request. */
export interface FlowUser {
  readonly name: string;
  readonly groups: readonly string[];
}

/** The operation of a request. */
export interface FlowOperation {
  readonly isResource: boolean;
  readonly verb: string;
  readonly path: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
}

const EVERY = '*';

/** Whether a request belongs to the schema: one rule has both its user and its operation. */
export function matches({ rules = [] }: FlowSchemaSpec, user: FlowUser, operation: FlowOperation): boolean {
  return rules.some(
    ({ subjects = [], resourceRules = [], nonResourceRules = [] }) =>
      subjects.some((subject) => matchesSubject(subject, user)) &&
      (operation.isResource
        ? resourceRules.some((rule) => matchesResource(rule, operation))
        : nonResourceRules.some(
            ({ verbs, nonResourceURLs }) =>
              has(verbs, operation.verb) && nonResourceURLs.some((url) => matchesPath(url, operation)),
          )),
  );
}

/** Whether a request of this user can belong to the schema. */
export function matchesUser({ rules = [] }: FlowSchemaSpec, user: FlowUser): boolean {
  return rules.some(({ subjects = [] }) => subjects.some((subject) => matchesSubject(subject, user)));
}

function matchesSubject({ kind, user, group, serviceAccount }: FlowSubject, requester: FlowUser): boolean {
  if (kind === 'User') return user !== undefined && (user.name === EVERY || user.name === requester.name);
  if (kind === 'Group') return group !== undefined && (group.name === EVERY || requester.groups.includes(group.name));
  if (serviceAccount === undefined) return false;
  const all = `system:serviceaccount:${serviceAccount.namespace}:`;
  if (serviceAccount.name === EVERY) return requester.name.startsWith(all);
  return requester.name === all + serviceAccount.name;
}

function matchesResource(
  rule: ResourceRule,
  { verb, group, resource, subresource, namespace }: FlowOperation,
): boolean {
  const name = subresource === '' ? resource : `${resource}/${subresource}`;
  if (!has(rule.verbs, verb) || !has(rule.apiGroups, group) || !has(rule.resources, name)) return false;
  return namespace === '' ? rule.clusterScope === true : has(rule.namespaces ?? [], namespace);
}

function has(list: readonly string[], one: string): boolean {
  return list.includes(one) || (list.length === 1 && list[0] === EVERY);
}

/** A rule for a path also covers the paths below it. */
function matchesPath(url: string, { path }: FlowOperation): boolean {
  if (url === EVERY || url === path) return true;
  const prefix = url.endsWith(EVERY) ? url.slice(0, -1) : url;
  return path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`);
}
