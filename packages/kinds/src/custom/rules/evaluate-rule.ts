import { CostExceeded, type Failure, type Lazy, type Program, type Value } from '@tidegate/cel';
import type { Json } from '@tidegate/schema';
import {
  duplicateValue,
  type FieldError,
  fieldError,
  forbiddenField,
  invalidValue,
  requiredValue,
} from '@tidegate/status';
import type { CompiledRule } from './compiled-rule.ts';
import type { Correlation } from './correlation.ts';

/** The cost limit of one evaluation. */
const CALL_LIMIT = 1_000_000;
const MAX_MESSAGE_BYTES = 5 * 1024;
const NO_MORE = 'no further validation rules will be run';

/** The value of a rule, and the place of its errors. */
export interface RuleValue {
  readonly type: string;
  readonly value: Json;
  readonly path: string;
  readonly errors: FieldError[];
  readonly correlation: Correlation;
  /** there is no old value */
  readonly isNew: boolean;
}

type Variables = ReadonlyMap<string, Value | Lazy>;

/**
 * Evaluates a rule for a value, and returns the rest of the budget. A negative rest ends the evaluation of all rules.
 */
export function evaluateRule(
  compiled: CompiledRule,
  variables: Variables,
  { budget, ...ruleValue }: RuleValue & { readonly budget: number },
): number {
  const { path, type, errors, correlation } = ruleValue;
  const fail = (detail: string): number => {
    errors.push(invalidValue(path || '<nil>', type, detail));
    return -1;
  };
  if (compiled.problem !== undefined) fail(`rule compile error: ${compiled.problem}`);
  if (compiled.program === undefined) return budget;
  if (budget <= 0) return fail(`validation failed due to running out of cost budget, ${NO_MORE}`);
  const outcome = compiled.program.run(variables, CALL_LIMIT);
  if (outcome.cost > budget && !(outcome.kind === 'failed' && outcome.error instanceof CostExceeded)) {
    return fail(`validation failed due to running out of cost budget, ${NO_MORE}`);
  }
  const left = budget - outcome.cost;
  if (outcome.kind === 'failed') {
    fail(failureText(outcome.error, ruleName(compiled)));
    return outcome.error instanceof CostExceeded ? -1 : left;
  }
  if (outcome.value === true) return left;
  // a rule about a change does not apply to an unchanged value
  if (!compiled.usesOldSelf && correlation.isUnchanged()) return left;
  return reject(compiled, variables, { budget: left, ...ruleValue });
}

function failureText(error: Failure, name: string): string {
  if (error instanceof CostExceeded) {
    return `'${error.message}': ${NO_MORE} due to call cost exceeds limit for rule: ${name}`;
  }
  if (!error.message.startsWith('no such overload')) return `${error.message} evaluating rule: ${name}`;
  const what = 'call arguments did not match a supported operator, function or macro signature';
  return `'${error.message}': ${what} for rule: ${name}`;
}

function ruleName({ rule: { rule, message = '' } }: CompiledRule): string {
  return (message === '' ? rule : message).trim();
}

function reject(
  compiled: CompiledRule,
  variables: Variables,
  { budget, ...ruleValue }: RuleValue & { readonly budget: number },
): number {
  const { message = '', optionalOldSelf } = compiled.rule;
  const plainMessage = message === '' ? `failed rule: ${ruleName(compiled)}` : message.trim();
  // a message cannot use the missing old value, even when the rule can
  const isWithoutOld = optionalOldSelf && ruleValue.isNew && compiled.message?.used.has('oldSelf');
  if (compiled.message === undefined || isWithoutOld) {
    ruleValue.errors.push(errorOf(compiled, ruleValue, plainMessage));
    return budget;
  }
  const computed = computedMessage(compiled.message, variables, budget);
  if (computed.left < 0) {
    const path = pathOf(compiled, ruleValue.path);
    ruleValue.errors.push(invalidValue(path, ruleValue.type, messageFailureText(computed.failure, compiled)));
    return -1;
  }
  ruleValue.errors.push(errorOf(compiled, ruleValue, computed.text ?? plainMessage));
  return computed.left;
}

interface ComputedMessage {
  readonly text?: string;
  readonly failure?: Failure;
  readonly left: number;
}

/** Evaluates the messageExpression. `text` is undefined when the result cannot be shown. */
function computedMessage(program: Program, variables: Variables, budget: number): ComputedMessage {
  const outcome = program.run(variables, CALL_LIMIT);
  if (outcome.kind === 'failed' && outcome.error instanceof CostExceeded) return { failure: outcome.error, left: -1 };
  const left = budget - outcome.cost;
  if (outcome.kind === 'failed' || left < 0) return { left: Math.max(left, -1) };
  const text = String(outcome.value).trim();
  const isShown = text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= MAX_MESSAGE_BYTES;
  return isShown ? { text, left } : { left };
}

function messageFailureText(failure: Failure | undefined, { rule: { messageExpression } }: CompiledRule): string {
  if (failure === undefined) return `messageExpression evaluation failed due to running out of cost budget, ${NO_MORE}`;
  return `${NO_MORE} due to call cost exceeds limit for messageExpression: ${JSON.stringify(messageExpression)}`;
}

function pathOf({ fieldPath }: CompiledRule, path: string): string {
  if (fieldPath === '') return path || '<nil>';
  return path === '' ? fieldPath : `${path}.${fieldPath}`;
}

function errorOf(compiled: CompiledRule, { value, type, path: above }: RuleValue, detail: string): FieldError {
  const path = pathOf(compiled, above);
  const isWhole = type === 'object' || type === 'array';
  switch (compiled.rule.reason) {
    case 'FieldValueForbidden':
      return forbiddenField(path, detail);
    case 'FieldValueRequired':
      return { ...requiredValue(path, detail), byRule: true };
    case 'FieldValueDuplicate':
      return isWhole ? fieldError(path, 'FieldValueDuplicate', 'Duplicate value') : duplicateValue(path, value);
    default:
      return isWhole
        ? fieldError(path, 'FieldValueInvalid', `Invalid value: ${detail}`)
        : invalidValue(path, value, detail);
  }
}
