import { Environment, optionalShape, type Program, type Shape } from '@tidegate/cel';
import type { JsonSchema, ValidationRule } from '../values/json-schema.ts';
import { fieldPathOf } from './field-path.ts';

/** A compiled rule, or the reason why it is invalid. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly program?: Program;
  readonly problem?: string;
  /** the rule uses oldSelf */
  readonly usesOldSelf: boolean;
  readonly message?: Program;
  readonly messageProblem?: string;
  /** the field of the error, below the value */
  readonly fieldPath: string;
}

/** Compiles the rules of a schema whose values have the shape. */
export function compileRules(schema: JsonSchema, shape: Shape): CompiledRule[] {
  const rules = schema['x-kubernetes-validations'] ?? [];
  const plain = new Environment({ self: shape, oldSelf: shape });
  const optional = rules.some(({ optionalOldSelf }) => optionalOldSelf)
    ? new Environment({ self: shape, oldSelf: optionalShape(shape) })
    : plain;
  return rules.map((rule) => compileRule(rule, rule.optionalOldSelf ? optional : plain, schema));
}

const NONE = { usesOldSelf: false, fieldPath: '' };

function compileRule(rule: ValidationRule, environment: Environment, schema: JsonSchema): CompiledRule {
  if (rule.rule.trim() === '') return { rule, ...NONE };
  const compiled = compile(environment, rule.rule, 'bool');
  if ('problem' in compiled) return { rule, problem: compiled.problem, ...NONE };
  const { program } = compiled;
  const { messageExpression = '', fieldPath = '' } = rule;
  const usesOldSelf = program.used.has('oldSelf');
  const made = { rule, program, usesOldSelf, fieldPath: fieldPathOf(fieldPath, schema) ?? '' };
  if (messageExpression === '') return made;
  const message = compile(environment, messageExpression, 'string');
  if (!('problem' in message)) return { ...made, message: message.program };
  return { ...made, messageProblem: `messageExpression ${message.problem}` };
}

const WRONG_TYPE = { bool: 'cel expression must evaluate to a bool', string: 'must evaluate to a string' };

function compile(
  environment: Environment,
  source: string,
  wanted: keyof typeof WRONG_TYPE,
): { program: Program } | { problem: string } {
  const compiled = environment.compile(source);
  if (compiled.kind === 'compiled') {
    const { program } = compiled;
    return program.type.kind === wanted ? { program } : { problem: WRONG_TYPE[wanted] };
  }
  if (compiled.stage === 'compilation') return { problem: `compilation failed: ${compiled.text}` };
  return { problem: `${wanted === 'bool' ? 'program ' : ''}instantiation failed: ${compiled.text}` };
}
