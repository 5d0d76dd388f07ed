import { visit } from '../check/literal-checks.ts';
import { type CostRange, estimateCost } from '../cost/estimate.ts';
import type { Expression } from '../syntax/expression.ts';
import type { Shape, Type } from '../types/type.ts';
import { CostExceeded, Failure } from '../values/failure.ts';
import { Meter } from '../values/meter.ts';
import type { Value } from '../values/value.ts';
import { build } from './build.ts';
import type { Building } from './building.ts';
import type { Lazy, Step } from './frame.ts';

interface Parts {
  readonly expression: Expression;
  readonly building: Omit<Building, 'build'>;
  readonly used: ReadonlySet<string>;
  readonly shapes: ReadonlyMap<string, Shape>;
}

/** The result of an evaluation. */
export type Outcome =
  | { readonly kind: 'value'; readonly value: Value; readonly cost: number }
  | { readonly kind: 'failed'; readonly error: Failure; readonly cost: number };

/** A checked expression. It is made ready to run at its first evaluation. */
export class Program {
  readonly type: Type;
  /** the variables of its environment that it uses */
  readonly used: ReadonlySet<string>;
  readonly #parts: Parts;
  #step: Step | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.used = parts.used;
    this.type = parts.expression.type as Type;
  }

  /** The bounds of its cost, by the largest sizes of its variables. */
  get estimate(): CostRange {
    return estimateCost(this.#parts.expression, this.#parts.shapes);
  }

  /** Whether it uses this field of a variable by name, in a selection or a test. */
  usesField(variable: string, field: string): boolean {
    let found = false;
    visit(this.#parts.expression, (node) => {
      if (node.kind === 'select') found ||= node.field === field && isNamed(node.operand, variable);
      if (node.kind !== 'call' || node.name !== '_?._') return;
      const [operand, name] = node.args;
      found ||= isNamed(operand, variable) && name?.kind === 'literal' && name.value === field;
    });
    return found;
  }

  run(variables: ReadonlyMap<string, Value | Lazy>, limit: number): Outcome {
    const { expression, building } = this.#parts;
    this.#step ??= build(expression, { ...building, build });
    const meter = new Meter(limit);
    try {
      return { kind: 'value', value: this.#step({ variables, slots: [], meter }), cost: meter.cost };
    } catch (error) {
      if (error instanceof Failure) return { kind: 'failed', error, cost: meter.cost };
      // values that are nested too deeply, or texts that are too long
      if (error instanceof RangeError) return { kind: 'failed', error: new CostExceeded(), cost: meter.cost };
      throw error;
    }
  }
}

function isNamed(node: Expression | undefined, variable: string): boolean {
  return node?.kind === 'ident' && node.name.replace(/^\./, '') === variable;
}
