import type { Type } from '../types/type.ts';
import type { Value } from '../values/value.ts';

interface Node {
  /** its position in the source; for an operation that of the operator */
  readonly at: number;
  /** the depth of its deepest branch */
  readonly depth: number;
  /** set by the checker */
  type?: Type;
}

export interface Literal extends Node {
  readonly kind: 'literal';
  readonly value: Value;
}

export interface Ident extends Node {
  readonly kind: 'ident';
  readonly name: string;
}

export interface Select extends Node {
  readonly kind: 'select';
  readonly operand: Expression;
  readonly field: string;
  /** only tests whether the field exists */
  readonly isTest: boolean;
  /** set if the whole path is the name of a declared variable or type */
  resolved?: string;
}

export interface Call extends Node {
  readonly kind: 'call';
  readonly name: string;
  readonly target: Expression | undefined;
  readonly args: readonly Expression[];
  /** the ids of the matching overloads */
  overloads?: readonly string[];
  /** set for `a.b(c)` if `a.b` is the name of a function, and `b` not a method of `a` */
  resolved?: string;
  /** created by a macro: may modify its first argument, a list or map that nothing else can see */
  readonly inPlace?: boolean;
}

export interface ListLiteral extends Node {
  readonly kind: 'list';
  readonly items: readonly Expression[];
  /** the indexes of optional items, which are left out if they have no value: `[?a]` */
  readonly optional: ReadonlySet<number>;
}

export interface MapEntry {
  readonly key: Expression;
  readonly value: Expression;
  readonly isOptional: boolean;
}

export interface MapLiteral extends Node {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

export interface StructLiteral extends Node {
  readonly kind: 'struct';
  readonly name: string;
  readonly fields: ReadonlyArray<{ readonly name: string; readonly value: Expression }>;
}

/** The expansion of macros: a loop over a list or map with an accumulator. */
export interface Fold extends Node {
  readonly kind: 'fold';
  readonly range: Expression;
  readonly variable: string;
  /** the second variable: the value beside its index or key */
  readonly second: string | undefined;
  readonly carried: string;
  readonly start: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
}

export type Expression = Literal | Ident | Select | Call | ListLiteral | MapLiteral | StructLiteral | Fold;

/** The qualified name of a path of identifiers: `a.b.c`. */
export function qualifiedName(expression: Expression): string | undefined {
  if (expression.kind === 'ident') return expression.name;
  if (expression.kind !== 'select' || expression.isTest) return undefined;
  const above = qualifiedName(expression.operand);
  return above === undefined ? undefined : `${above}.${expression.field}`;
}
