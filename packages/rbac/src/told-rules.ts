import type { PolicyRule } from './policy-rule.ts';

/** Rules that differ in their verbs alone are one; others stay as they are. */
export function joined(rules: readonly PolicyRule[]): PolicyRule[] {
  const byObject = new Map<string, { readonly rule: PolicyRule; readonly verbs: string[] }>();
  const others: PolicyRule[] = [];
  for (const rule of rules) {
    const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
    if (apiGroups.length !== 1 || resources.length !== 1 || resourceNames.length > 1 || nonResourceURLs.length > 0) {
      others.push(rule);
      continue;
    }
    const key = JSON.stringify([apiGroups, resources, resourceNames]);
    const before = byObject.get(key);
    if (before === undefined) byObject.set(key, { rule, verbs: [...verbs] });
    else for (const verb of verbs) before.verbs.push(verb);
  }
  return [...others, ...[...byObject.values()].map(({ rule, verbs }) => ({ ...rule, verbs }))];
}

/** Rules a line each, as kube-apiserver tells them, in the order of their texts. */
export function toldRules(rules: readonly PolicyRule[]): string {
  return [...new Set(joined(rules).map(told))].sort().join('\n');
}

const FIELDS = [
  ['APIGroups', 'apiGroups'],
  ['Resources', 'resources'],
  ['NonResourceURLs', 'nonResourceURLs'],
  ['ResourceNames', 'resourceNames'],
  ['Verbs', 'verbs'],
] as const;

function told(rule: PolicyRule): string {
  const parts = FIELDS.flatMap(([word, field]) => {
    const values = rule[field] ?? [];
    return values.length === 0 ? [] : [`${word}:${toldTexts(values)}`];
  });
  return `{${parts.join(', ')}}`;
}

/** A list of texts as Go prints it. */
export function toldTexts(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`;
}
