export { type FieldSelector, parseFieldSelector } from './field-selector.ts';
export { type LabelSelector, parseLabelSelector } from './label-selector.ts';
