import { type Clause, clausesOf, UNFIT } from '../functions/clauses.ts';
import type { Call, Expression } from '../syntax/expression.ts';
import type { Issue } from '../syntax/source.ts';
import type { Type, TypeKind } from '../types/type.ts';

const TEXTS: readonly TypeKind[] = [
  ...(['list', 'map', 'int', 'uint', 'double', 'bool', 'string'] as const),
  ...(['timestamp', 'bytes', 'duration', 'type', 'null', 'dyn'] as const),
];

const FITTING: Readonly<Record<Clause['verb'], readonly TypeKind[]>> = {
  s: TEXTS,
  d: ['int', 'uint', 'dyn'],
  f: ['double', 'string', 'dyn'],
  e: ['double', 'string', 'dyn'],
  b: ['int', 'uint', 'bool', 'dyn'],
  o: ['int', 'uint', 'dyn'],
  x: ['int', 'uint', 'string', 'bytes', 'dyn'],
  X: ['int', 'uint', 'string', 'bytes', 'dyn'],
};

/** The errors of a call of format whose format is a literal. */
export function formatIssues({ at, name, target, args: [values] }: Call): Issue[] {
  if (name !== 'format' || target?.kind !== 'literal' || typeof target.value !== 'string') return [];
  if (values?.kind !== 'list') return [];
  const found = clausesOf(target.value, values.items.length);
  if ('problem' in found) return [{ at, message: found.problem }];
  const clauses = found.parts.filter((part) => typeof part !== 'string');
  for (const [i, { verb }] of clauses.entries()) {
    const unfit = unfitIn(values.items[i] as Expression, FITTING[verb], verb === 's');
    if (unfit === undefined) continue;
    const type = (unfit.type as Type).name;
    return [{ at: unfit.at, message: `error during formatting: ${UNFIT[verb]}, was given ${type}` }];
  }
  const [wanted, given] = [clauses.length, values.items.length];
  if (given <= wanted) return [];
  return [{ at, message: `too many arguments supplied to string.format (expected ${wanted}, got ${given})` }];
}

function unfitIn(value: Expression, fitting: readonly TypeKind[], isDeep: boolean): Expression | undefined {
  if (!fitting.includes((value.type as Type).kind)) return value;
  if (!isDeep) return undefined;
  const inner =
    value.kind === 'list' ? value.items : value.kind === 'map' ? value.entries.flatMap((e) => [e.key, e.value]) : [];
  for (const one of inner) {
    const unfit = unfitIn(one, fitting, true);
    if (unfit !== undefined) return unfit;
  }
  return undefined;
}
