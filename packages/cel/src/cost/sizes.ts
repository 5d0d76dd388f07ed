import { textSize } from '../functions/characters.ts';
import type { Expression } from '../syntax/expression.ts';
import { isOptionalType, type Type } from '../types/type.ts';
import { fixed, type Range } from './range.ts';

/** The size of a literal in the expression. */
export function exprSize(expression: Expression): Range | undefined {
  if (expression.kind === 'list') return fixed(expression.items.length);
  if (expression.kind === 'map') return fixed(expression.entries.length);
  if (expression.kind !== 'literal') return undefined;
  const { value } = expression;
  if (typeof value === 'string') return fixed(textSize(value));
  return fixed(value instanceof Uint8Array ? value.length : 1);
}

const SCALARS = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);

export function isScalar(type: Type): boolean {
  return isOptionalType(type) ? isScalar(type.params[0] as Type) : SCALARS.has(type.kind);
}
