/** A FlowSchema's spec, as it is kept. */
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

/** Who asks. */
export interface FlowUser {
  readonly name: string;
  readonly groups: readonly string[];
}

/** What is asked for. */
export interface FlowDeed {
  readonly isResource: boolean;
  readonly verb: string;
  readonly path: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
}

const EVERY = '*';

/** Whether a request is one of the schema's: one rule has both who asks and what is asked. */
export function matches({ rules = [] }: FlowSchemaSpec, user: FlowUser, deed: FlowDeed): boolean {
  return rules.some(
    ({ subjects = [], resourceRules = [], nonResourceRules = [] }) =>
      subjects.some((subject) => isOne(subject, user)) &&
      (deed.isResource
        ? resourceRules.some((rule) => isAbout(rule, deed))
        : nonResourceRules.some(
            ({ verbs, nonResourceURLs }) => has(verbs, deed.verb) && nonResourceURLs.some((url) => leadsTo(url, deed)),
          )),
  );
}

/** Whether any request of this user can be the schema's. */
export function isOf({ rules = [] }: FlowSchemaSpec, user: FlowUser): boolean {
  return rules.some(({ subjects = [] }) => subjects.some((subject) => isOne(subject, user)));
}

function isOne({ kind, user, group, serviceAccount }: FlowSubject, asking: FlowUser): boolean {
  if (kind === 'User') return user !== undefined && (user.name === EVERY || user.name === asking.name);
  if (kind === 'Group') return group !== undefined && (group.name === EVERY || asking.groups.includes(group.name));
  if (serviceAccount === undefined) return false;
  const all = `system:serviceaccount:${serviceAccount.namespace}:`;
  if (serviceAccount.name === EVERY) return asking.name.startsWith(all);
  return asking.name === all + serviceAccount.name;
}

function isAbout(rule: ResourceRule, { verb, group, resource, subresource, namespace }: FlowDeed): boolean {
  const told = subresource === '' ? resource : `${resource}/${subresource}`;
  if (!has(rule.verbs, verb) || !has(rule.apiGroups, group) || !has(rule.resources, told)) return false;
  return namespace === '' ? rule.clusterScope === true : has(rule.namespaces ?? [], namespace);
}

function has(list: readonly string[], one: string): boolean {
  return list.includes(one) || (list.length === 1 && list[0] === EVERY);
}

/** What is below a path belongs to it. */
function leadsTo(url: string, { path }: FlowDeed): boolean {
  if (url === EVERY || url === path) return true;
  const prefix = url.endsWith(EVERY) ? url.slice(0, -1) : url;
  return path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`);
}
