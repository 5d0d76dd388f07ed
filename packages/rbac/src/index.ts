export { type BootstrapObject, bootstrapPolicy } from './bootstrap-policy.ts';
export { type Beyond, uncovered } from './covers.ts';
export { allows, type Deed, type PolicyRule } from './policy-rule.ts';
export { readRules } from './read-rules.ts';
export { placesOf, RuleIndex } from './rule-index.ts';
export { joined, toldRules, toldTexts } from './told-rules.ts';
