import type { Outcome, Program } from '@tidegate/cel';
import { type AdmissionVariables, admissionEnvironment, Budget, readExpression } from './environment.ts';

/** A condition over a request: an expression that says whether a webhook or policy is called. */
export interface MatchCondition {
  readonly expression: string;
  /** undefined: the expression is invalid, and its author got an error */
  readonly program: Program | undefined;
}

const defaultEnvironment = admissionEnvironment();

/** Compiles a condition, or returns the reason why it is invalid. */
export function readCondition(expression: string): MatchCondition | { readonly problem: string } {
  const read = readExpression(defaultEnvironment, expression, ['bool']);
  return 'problem' in read ? read : { expression, program: read.program };
}

/** The cost limit of all conditions of one webhook. */
const WEBHOOK_BUDGET = 2_500_000;

type ConditionsResult = { readonly holds: boolean } | { readonly problems: readonly string[] };

/** Whether all conditions are true. A false condition decides the result, even when another one fails. */
export function holdAll(
  conditions: readonly MatchCondition[],
  variables: AdmissionVariables,
  budget = new Budget(WEBHOOK_BUDGET),
): ConditionsResult {
  const problems: string[] = [];
  for (const { expression, program } of conditions) {
    const outcome = program && budget.run(program, variables);
    const problem = problemOf(outcome);
    if (problem !== undefined) problems.push(expressionError(expression, problem));
    else if (outcome?.kind === 'value' && outcome.value === false) return { holds: false };
  }
  return problems.length > 0 ? { problems } : { holds: true };
}

/** The problem with the result of a condition; undefined for true and false. */
export function problemOf(outcome: Outcome | undefined): string | undefined {
  if (outcome === undefined) return 'it cannot be read';
  if (outcome.kind === 'failed') return outcome.error.message;
  return typeof outcome.value === 'boolean' ? undefined : 'it is neither true nor false';
}

export function expressionError(expression: string, problem: string): string {
  return `expression '${expression}' resulted in error: ${problem}`;
}
