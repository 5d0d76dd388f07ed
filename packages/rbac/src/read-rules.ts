import type { PolicyRule } from './policy-rule.ts';

/** Reads the rules of a role that may not be validated yet. Lists that are null are left out. */
export function readRules(rules: unknown): readonly PolicyRule[] {
  if (!Array.isArray(rules)) return [];
  return rules.map((rule: object | null) =>
    Object.fromEntries(Object.entries(rule ?? {}).filter(([, values]) => Array.isArray(values))),
  );
}
