import { dynShape, type Environment, Failure, type Lazy, type Program, type Shape } from '@tidegate/cel';
import { isJsonObject, type JsonObject } from '@tidegate/schema';
import { expressionError, holdAll, type MatchCondition, problemOf } from './conditions.ts';
import { type AdmissionVariables, admissionEnvironment, Budget, readExpression } from './environment.ts';

interface Validation {
  readonly expression: string;
  readonly program: Program | undefined;
  /** the message of a failed validation: computed, or literal, or derived from the expression */
  readonly messageProgram: Program | undefined;
  readonly message: string;
  readonly reason: string;
}

/** A compiled ValidatingAdmissionPolicy. */
export interface Policy {
  readonly variables: ReadonlyArray<{ readonly name: string; readonly program: Program | undefined }>;
  readonly conditions: readonly MatchCondition[];
  readonly validations: readonly Validation[];
  /** the audit annotations */
  readonly annotations: ReadonlyArray<{
    readonly key: string;
    readonly expression: string;
    readonly program: Program | undefined;
  }>;
}

/** An invalid expression, and its path in the spec. */
interface PolicyProblem {
  readonly list: string;
  readonly index: number;
  readonly field: string;
  readonly detail: string;
}

type ProblemPath = Omit<PolicyProblem, 'detail'>;

/** The result types of audit annotations. */
const ANNOTATION = ['string', 'null'];

/** Compiles the policy of a spec, and collects the errors of its expressions. */
export function readPolicy(spec: JsonObject): { readonly policy: Policy; readonly problems: readonly PolicyProblem[] } {
  const problems: PolicyProblem[] = [];
  const hasParams = spec.paramKind !== undefined;
  const named: Record<string, Shape> = {};
  const environment = (hasAccess = true) => admissionEnvironment({ hasParams, variables: named, hasAccess });
  const read = (among: Environment, where: ProblemPath, source: unknown, wanted: readonly string[]) => {
    const text = String(source ?? '').trim();
    if (text === '') return undefined;
    const found = readExpression(among, text, wanted);
    if ('program' in found) return found.program;
    problems.push({ ...where, detail: found.problem });
    return undefined;
  };
  const variables = listIn(spec, 'variables').map(({ name, expression }, index) => {
    const where = { list: 'variables', index, field: 'expression' };
    const program = read(environment(), where, expression, []);
    // an invalid variable is one error, also when other expressions use it
    named[`variables.${String(name)}`] = program === undefined ? dynShape : shapeOf(program);
    return { name: String(name), program };
  });
  const [policyEnvironment, messageEnvironment] = [environment(), environment(false)];
  const conditions = listIn(spec, 'matchConditions').map(({ expression }, index): MatchCondition => {
    const where = { list: 'matchConditions', index, field: 'expression' };
    return { expression: String(expression), program: read(policyEnvironment, where, expression, ['bool']) };
  });
  const validations = listIn(spec, 'validations').map((one, index): Validation => {
    const at = (field: string): ProblemPath => ({ list: 'validations', index, field });
    return {
      expression: String(one.expression ?? '').trim(),
      program: read(policyEnvironment, at('expression'), one.expression, ['bool']),
      messageProgram: read(messageEnvironment, at('messageExpression'), one.messageExpression, ['string']),
      message: String(one.message ?? '').trim(),
      reason: String(one.reason ?? 'Invalid'),
    };
  });
  const annotations = listIn(spec, 'auditAnnotations').map(({ key, valueExpression }, index) => {
    const where = { list: 'auditAnnotations', index, field: 'valueExpression' };
    const expression = String(valueExpression ?? '').trim();
    return { key: String(key), expression, program: read(policyEnvironment, where, valueExpression, ANNOTATION) };
  });
  return { policy: { variables, conditions, validations, annotations }, problems };
}

/** The reason why a policy rejects a request. */
interface Denial {
  readonly message: string;
  /** empty when the evaluation failed */
  readonly reason: string;
}

/** The result of a policy for one request. */
export interface PolicyResult {
  readonly denials: readonly Denial[];
  /** keys and values for the audit event */
  readonly annotations: ReadonlyArray<readonly [key: string, value: string]>;
}

const NOTHING: PolicyResult = { denials: [], annotations: [] };

/** The cost limit of one policy for one request. */
const POLICY_BUDGET = 10_000_000;
const MAX_MESSAGE_LENGTH = 5 * 1024;
const MAX_ANNOTATION_LENGTH = 10 * 1024;

/** Evaluates a policy for a request. With failurePolicy Ignore a failed evaluation allows the request. */
export function evaluatePolicy(policy: Policy, given: AdmissionVariables, ignoresFailure: boolean): PolicyResult {
  const budget = new Budget(POLICY_BUDGET);
  const failed = (message: string): Denial[] => (ignoresFailure ? [] : [{ message, reason: '' }]);
  const variables = withVariables(policy, given, budget);
  const conditions = holdAll(policy.conditions, variables, budget);
  if ('problems' in conditions) return { ...NOTHING, denials: failed(conditions.problems.join(', ')) };
  if (!conditions.holds) return NOTHING;
  const denials = policy.validations.flatMap((validation): Denial[] => {
    const { expression, program, reason } = validation;
    const outcome = program && budget.run(program, variables);
    const problem = problemOf(outcome);
    if (problem !== undefined) return failed(expressionError(expression, problem));
    if (outcome?.kind === 'value' && outcome.value === true) return [];
    return [{ message: messageOf(validation, variables, budget), reason }];
  });
  const annotations: Array<readonly [string, string]> = [];
  for (const { key, expression, program } of policy.annotations) {
    const outcome = program && budget.run(program, variables);
    if (outcome?.kind !== 'value') {
      const problem = outcome?.error.message ?? 'it cannot be read';
      denials.push(...failed(expressionError(expression, problem)));
    } else if (typeof outcome.value === 'string') {
      const value = outcome.value.trim().slice(0, MAX_ANNOTATION_LENGTH);
      if (value !== '') annotations.push([key, value]);
    }
  }
  return { denials, annotations };
}

function messageOf({ expression, messageProgram, message }: Validation, variables: AdmissionVariables, budget: Budget) {
  const outcome = messageProgram && budget.run(messageProgram, variables);
  const made = outcome?.kind === 'value' && typeof outcome.value === 'string' ? outcome.value.trim() : '';
  if (made !== '' && !/[\n\r]/.test(made) && made.length <= MAX_MESSAGE_LENGTH) return made;
  return message === '' ? `failed expression: ${expression}` : message;
}

/** Each variable is evaluated at its first use, and once. */
function withVariables({ variables }: Policy, given: AdmissionVariables, budget: Budget): AdmissionVariables {
  const all = new Map(given);
  for (const { name, program } of variables) all.set(`variables.${name}`, once(name, program, { all, budget }));
  return all;
}

function once(
  name: string,
  program: Program | undefined,
  { all, budget }: { all: AdmissionVariables; budget: Budget },
): Lazy {
  let outcome: ReturnType<Budget['run']> | undefined;
  return () => {
    outcome ??= program && budget.run(program, all);
    if (outcome?.kind === 'value') return outcome.value;
    const why = outcome === undefined ? 'it cannot be read' : outcome.error.message;
    throw new Failure(`composited variable ${JSON.stringify(name)} fails to evaluate: ${why}`);
  };
}

function shapeOf({ type }: Program): Shape {
  return { type, minSize: 1, maxElements: Number.MAX_SAFE_INTEGER };
}

function listIn(object: JsonObject, name: string): JsonObject[] {
  const list = object[name];
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
