import type { Type } from '../types/type.ts';
import type { Value } from '../values/value.ts';

interface Node {
  /** where it begins in the source; of an operation, where its operator stands */
  readonly at: number;
  /** how deep its deepest branch is */
  readonly depth: number;
  /** what the checker has found */
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
  /** asks only whether the field is there */
  readonly isTest: boolean;
  /** the name of a declared variable or type that the whole path is */
  resolved?: string;
}

export interface Call extends Node {
  readonly kind: 'call';
  readonly name: string;
  readonly target: Expression | undefined;
  readonly args: readonly Expression[];
  /** the ids of the overloads that fit */
  overloads?: readonly string[];
  /** `a.b(c)` where `a.b` is the name of a function, not `b` one of `a` */
  resolved?: string;
  /** made by a macro: adds to the list or map that is its first argument, which nobody else sees */
  readonly inPlace?: boolean;
}

export interface ListLiteral extends Node {
  readonly kind: 'list';
  readonly items: readonly Expression[];
  /** which of them stand there only if they have a value: `[?a]` */
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

/** What macros become: a loop over a list or map, which carries a value along. */
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

/** The name that a path of identifiers spells: `a.b.c`. */
export function qualifiedName(expression: Expression): string | undefined {
  if (expression.kind === 'ident') return expression.name;
  if (expression.kind !== 'select' || expression.isTest) return undefined;
  const above = qualifiedName(expression.operand);
  return above === undefined ? undefined : `${above}.${expression.field}`;
}
