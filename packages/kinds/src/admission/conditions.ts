import type { Outcome, Program } from '@tidegate/cel';
import { type AdmissionVariables, admissionEnvironment, Budget, readExpression } from './environment.ts';

/** Whether a request matters to somebody, as an expression over it. */
export interface MatchCondition {
  readonly expression: string;
  /** undefined: it cannot be read, which whoever wrote it was told */
  readonly program: Program | undefined;
}

const usual = admissionEnvironment();

/** The condition, or why it is none. */
export function readCondition(expression: string): MatchCondition | { readonly problem: string } {
  const read = readExpression(usual, expression, ['bool']);
  return 'problem' in read ? read : { expression, program: read.program };
}

/** What the conditions of one webhook may cost together. */
const WEBHOOK_BUDGET = 2_500_000;

type Verdict = { readonly holds: boolean } | { readonly problems: readonly string[] };

/** Whether all hold. One that does not decides it, even where another one fails. */
export function holdAll(
  conditions: readonly MatchCondition[],
  variables: AdmissionVariables,
  budget = new Budget(WEBHOOK_BUDGET),
): Verdict {
  const problems: string[] = [];
  for (const { expression, program } of conditions) {
    const outcome = program && budget.run(program, variables);
    const problem = problemOf(outcome);
    if (problem !== undefined) problems.push(errorWords(expression, problem));
    else if (outcome?.kind === 'value' && outcome.value === false) return { holds: false };
  }
  return problems.length > 0 ? { problems } : { holds: true };
}

/** undefined: it is true or false. */
export function problemOf(outcome: Outcome | undefined): string | undefined {
  if (outcome === undefined) return 'it cannot be read';
  if (outcome.kind === 'failed') return outcome.error.message;
  return typeof outcome.value === 'boolean' ? undefined : 'it is neither true nor false';
}

export function errorWords(expression: string, problem: string): string {
  return `expression '${expression}' resulted in error: ${problem}`;
}
