import type { Overload } from '../functions/overload.ts';
import { regexOf } from '../functions/regex.ts';
import type { Expression } from '../syntax/expression.ts';
import type { Issue } from '../syntax/source.ts';
import { Failure } from '../values/failure.ts';
import { Meter } from '../values/meter.ts';
import { parseDuration, parseTimestamp } from '../values/time.ts';
import { formatIssues } from './format-checks.ts';

const isPattern = (text: string): boolean => {
  try {
    regexOf(text);
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
};

const CHECKS: Readonly<Record<string, (text: string) => boolean>> = {
  duration: (text) => parseDuration(text) !== undefined,
  timestamp: (text) => parseTimestamp(text) !== undefined,
  matches: isPattern,
};

/** Finds literal strings that are not valid durations, timestamps, patterns or formats. */
export function checkLiterals(expression: Expression): Issue[] {
  const issues: Issue[] = [];
  visit(expression, (node) => {
    if (node.kind !== 'call') return;
    issues.push(...formatIssues(node));
    const isValid = Object.hasOwn(CHECKS, node.name) ? CHECKS[node.name] : undefined;
    const arg = node.args.at(-1);
    if (isValid === undefined || arg?.kind !== 'literal' || typeof arg.value !== 'string') return;
    if (!isValid(arg.value)) issues.push({ at: arg.at, message: `invalid ${node.name} argument` });
  });
  return issues;
}

const CONVERSIONS = new Set(['bool', 'bytes', 'double', 'duration', 'int', 'string', 'timestamp', 'uint']);

/** The failure of the first conversion of a literal that always fails; undefined if there is none. */
export function failingConversion(
  expression: Expression,
  overloads: ReadonlyMap<string, Overload>,
): Failure | undefined {
  let failure: Failure | undefined;
  visit(expression, (node) => {
    if (failure !== undefined || node.kind !== 'call' || !CONVERSIONS.has(node.name)) return;
    const [only] = node.args;
    const overload = overloads.get(node.overloads?.[0] ?? '');
    if (only?.kind !== 'literal' || node.overloads?.length !== 1 || overload === undefined) return;
    try {
      overload.run([only.value], new Meter(Number.POSITIVE_INFINITY));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failure = error;
    }
  });
  return failure;
}

/** Visits every part of an expression, parents first. */
export function visit(expression: Expression, see: (expression: Expression) => void): void {
  see(expression);
  for (const part of partsOf(expression)) visit(part, see);
}

function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'select':
      return [expression.operand];
    case 'call':
      return expression.target === undefined ? expression.args : [expression.target, ...expression.args];
    case 'list':
      return expression.items;
    case 'map':
      return expression.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return expression.fields.map(({ value }) => value);
    case 'fold':
      return [expression.range, expression.start, expression.condition, expression.step, expression.result];
    default:
      return [];
  }
}
