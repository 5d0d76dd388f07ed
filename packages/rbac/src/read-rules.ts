import type { PolicyRule } from './policy-rule.ts';

/** The rules of a role as it is written, valid or not yet judged: lists that are missing may be null there. */
export function readRules(rules: unknown): readonly PolicyRule[] {
  if (!Array.isArray(rules)) return [];
  return rules.map((rule: object | null) =>
    Object.fromEntries(Object.entries(rule ?? {}).filter(([, values]) => Array.isArray(values))),
  );
}
