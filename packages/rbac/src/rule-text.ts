import type { PolicyRule } from './policy-rule.ts';

/** Merges rules that differ only in their verbs; other rules stay as they are. */
export function withVerbsMerged(rules: readonly PolicyRule[]): PolicyRule[] {
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

/** One line per rule in the form of kube-apiserver's errors, sorted by text. */
export function rulesText(rules: readonly PolicyRule[]): string {
  return [...new Set(withVerbsMerged(rules).map(ruleText))].sort().join('\n');
}

const FIELDS = [
  ['APIGroups', 'apiGroups'],
  ['Resources', 'resources'],
  ['NonResourceURLs', 'nonResourceURLs'],
  ['ResourceNames', 'resourceNames'],
  ['Verbs', 'verbs'],
] as const;

function ruleText(rule: PolicyRule): string {
  const parts = FIELDS.flatMap(([word, field]) => {
    const values = rule[field] ?? [];
    return values.length === 0 ? [] : [`${word}:${quotedTexts(values)}`];
  });
  return `{${parts.join(', ')}}`;
}

/** A list of strings as Go's %q prints it. */
export function quotedTexts(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`;
}
