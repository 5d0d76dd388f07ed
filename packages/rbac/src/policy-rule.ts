/** One rule of a role, as it is written; what is not said is empty. */
export interface PolicyRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** What somebody wants to do: to a resource, or at a path of another sort. */
export type Deed =
  | {
      readonly isResource: true;
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly subresource: string;
      readonly name: string;
    }
  | { readonly isResource: false; readonly verb: string; readonly path: string };

const NONE: readonly string[] = [];

export function allows(rule: PolicyRule, deed: Deed): boolean {
  const { verbs = NONE } = rule;
  if (!verbs.includes('*') && !verbs.includes(deed.verb)) return false;
  if (!deed.isResource) return (rule.nonResourceURLs ?? NONE).some((pattern) => pathMatches(pattern, deed.path));
  const { apiGroups = NONE, resources = NONE, resourceNames = NONE } = rule;
  if (!apiGroups.includes('*') && !apiGroups.includes(deed.group)) return false;
  if (resourceNames.length > 0 && !resourceNames.includes(deed.name)) return false;
  return namesResource(resources, deed.resource, deed.subresource);
}

/** `*` is everything, subresources as well; `*` before `/scale` is that subresource of anything. */
function namesResource(resources: readonly string[], resource: string, subresource: string): boolean {
  if (resources.includes('*')) return true;
  if (subresource === '') return resources.includes(resource);
  return resources.includes(`${resource}/${subresource}`) || resources.includes(`*/${subresource}`);
}

/** A `*` at the end stands for whatever follows. */
export function pathMatches(pattern: string, path: string): boolean {
  const prefix = prefixOf(pattern);
  return pattern === path || (prefix !== undefined && path.startsWith(prefix));
}

/** What stands before the stars at the end; undefined: it has none. No regular expression, which would be quadratic. */
export function prefixOf(pattern: string): string | undefined {
  let end = pattern.length;
  while (end > 0 && pattern[end - 1] === '*') end--;
  return end === pattern.length ? undefined : pattern.slice(0, end);
}
