import { requiredValue } from '@tidegate/status';
import type { Place } from '../../rules/place.ts';
import type { JsonSchema, ValidationRule } from '../values/json-schema.ts';
import { fieldPathOf } from './field-path.ts';

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const LINES = /[\n\r]/;
const NO_LINES = 'must not contain line breaks';
const NOT_EMPTY = 'must be non-empty if specified';

/** Checks the rules of one schema, except for their expressions. */
export function checkRuleFields(schema: Place): void {
  for (const place of schema.field('x-kubernetes-validations').items()) {
    const rule = place.object as unknown as ValidationRule;
    checkMessage(place, rule);
    const { messageExpression = '', reason, fieldPath = '' } = rule;
    if (messageExpression !== '' && messageExpression.trim() === '') {
      missing(place.field('messageExpression'), 'messageExpression must be non-empty if specified');
    }
    if (reason !== undefined && !REASONS.includes(reason)) place.field('reason').unsupported(REASONS);
    if (fieldPath !== '') checkFieldPath(place.field('fieldPath'), fieldPath, schema.object as JsonSchema);
  }
}

function checkMessage(place: Place, { rule = '', message = '' }: ValidationRule): void {
  const messageField = place.field('message');
  const text = message.trim();
  if (rule.trim() === '') missing(place.field('rule'), 'rule is not specified');
  else if (message !== '' && text === '') messageField.invalid(NOT_EMPTY);
  else if (LINES.test(text)) messageField.invalid(NO_LINES);
  else if (LINES.test(rule.trim()) && text === '') {
    missing(messageField, 'message must be specified if rule contains line breaks');
  }
}

function checkFieldPath(place: Place, path: string, schema: JsonSchema): void {
  if (path.trim() === '') place.invalid(NOT_EMPTY);
  if (LINES.test(path)) place.invalid(NO_LINES);
  if (fieldPathOf(path, schema) === undefined) place.invalid('must be a valid path');
}

function missing(place: Place, detail: string): void {
  place.add(requiredValue(place.path, detail));
}
