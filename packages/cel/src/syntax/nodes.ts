import type { Value } from '../values/value.ts';
import type { Call, Expression, Fold, Ident, ListLiteral, Literal, MapLiteral, Select } from './expression.ts';

const deepest = (nodes: readonly Expression[]): number => nodes.reduce((most, { depth }) => Math.max(most, depth), 0);

export const literal = (at: number, value: Value): Literal => ({ kind: 'literal', at, depth: 1, value });
export const ident = (at: number, name: string): Ident => ({ kind: 'ident', at, depth: 1, name });

export function select(at: number, operand: Expression, field: string, isTest = false): Select {
  return { kind: 'select', at, depth: operand.depth + 1, operand, field, isTest };
}

export function call(at: number, name: string, args: readonly Expression[], target?: Expression): Call {
  const depth = deepest(target === undefined ? args : [target, ...args]) + 1;
  return { kind: 'call', at, depth, name, target, args };
}

export function list(at: number, items: readonly Expression[], optional: ReadonlySet<number> = new Set()): ListLiteral {
  return { kind: 'list', at, depth: deepest(items) + 1, items, optional };
}

export function map(at: number, entries: MapLiteral['entries']): MapLiteral {
  const depth = deepest(entries.flatMap(({ key, value }) => [key, value])) + 1;
  return { kind: 'map', at, depth, entries };
}

export function fold(at: number, parts: Omit<Fold, 'at' | 'depth' | 'kind'>): Fold {
  const { range, start, step, result } = parts;
  return { kind: 'fold', at, depth: deepest([range, start, step, result]) + 1, ...parts };
}
