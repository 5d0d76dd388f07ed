export { type BootstrapObject, bootstrapPolicy } from './bootstrap-policy.ts';
export { allows, type PolicyRule, type RuleAttributes } from './policy-rule.ts';
export { readRules } from './read-rules.ts';
export { indexKeysOf, RuleIndex } from './rule-index.ts';
export { quotedTexts, rulesText, withVerbsMerged } from './rule-text.ts';
export { type Uncovered, uncovered } from './uncovered.ts';
