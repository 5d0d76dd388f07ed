/** One rule of a role; a missing list is empty. */
export interface PolicyRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** What a request does, as far as rules look at it: a verb on a resource, or on a path that is not a resource. */
export type RuleAttributes =
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

export function allows(rule: PolicyRule, attributes: RuleAttributes): boolean {
  const { verbs = NONE } = rule;
  if (!verbs.includes('*') && !verbs.includes(attributes.verb)) return false;
  if (!attributes.isResource)
    return (rule.nonResourceURLs ?? NONE).some((pattern) => pathMatches(pattern, attributes.path));
  const { apiGroups = NONE, resources = NONE, resourceNames = NONE } = rule;
  if (!apiGroups.includes('*') && !apiGroups.includes(attributes.group)) return false;
  if (resourceNames.length > 0 && !resourceNames.includes(attributes.name)) return false;
  return namesResource(resources, attributes.resource, attributes.subresource);
}

/** `*` means every resource and subresource; `*` before `/scale` means that subresource of every resource. */
function namesResource(resources: readonly string[], resource: string, subresource: string): boolean {
  if (resources.includes('*')) return true;
  if (subresource === '') return resources.includes(resource);
  return resources.includes(`${resource}/${subresource}`) || resources.includes(`*/${subresource}`);
}

/** A `*` at the end matches any rest of the path. */
export function pathMatches(pattern: string, path: string): boolean {
  const prefix = prefixOf(pattern);
  return pattern === path || (prefix !== undefined && path.startsWith(prefix));
}

/** The pattern without its final stars; undefined if it has none. A regular expression would take quadratic time. */
export function prefixOf(pattern: string): string | undefined {
  let end = pattern.length;
  while (end > 0 && pattern[end - 1] === '*') end--;
  return end === pattern.length ? undefined : pattern.slice(0, end);
}
