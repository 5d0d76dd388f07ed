import { type PolicyRule, pathMatches } from './policy-rule.ts';

/** A right that cannot be divided: one verb on one resource or path, of one name or of all. */
type Right =
  | { readonly verb: string; readonly group: string; readonly resource: string; readonly name: string | undefined }
  | { readonly verb: string; readonly path: string };

/** What `wanted` gives beyond `held`, as rules of one right each, in the order of `wanted`. */
export function uncovered(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted.flatMap((rule) =>
    rightsOf(rule)
      .filter((right) => !held.some((one) => covers(one, right)))
      .map(ruleOf),
  );
}

function rightsOf({
  verbs = [],
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule) {
  const names = resourceNames.length > 0 ? resourceNames : [undefined];
  const rights: Right[] = [];
  for (const group of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) for (const name of names) rights.push({ verb, group, resource, name });
    }
  }
  for (const path of nonResourceURLs) for (const verb of verbs) rights.push({ verb, path });
  return rights;
}

function ruleOf(right: Right): PolicyRule {
  const verbs = [right.verb];
  if ('path' in right) return { nonResourceURLs: [right.path], verbs };
  const { group, resource, name } = right;
  return { apiGroups: [group], resources: [resource], ...(name !== undefined && { resourceNames: [name] }), verbs };
}

function covers(rule: PolicyRule, right: Right): boolean {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  if (!verbs.includes('*') && !verbs.includes(right.verb)) return false;
  if ('path' in right) return nonResourceURLs.some((pattern) => pathMatches(pattern, right.path));
  const { group, resource, name } = right;
  if (!apiGroups.includes('*') && !apiGroups.includes(group)) return false;
  if (resourceNames.length > 0 && (name === undefined || !resourceNames.includes(name))) return false;
  return coversResource(resources, resource);
}

function coversResource(resources: readonly string[], resource: string): boolean {
  if (resources.includes('*') || resources.includes(resource)) return true;
  const slash = resource.indexOf('/');
  return slash >= 0 && resources.includes(`*${resource.slice(slash)}`);
}
