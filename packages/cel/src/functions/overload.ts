import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  opaqueType,
  optionalType,
  paramType,
  stringType,
  type Type,
  timestampType,
  typeType,
  uintType,
} from '../types/type.ts';
import type { Meter } from '../values/meter.ts';
import type { Value } from '../values/value.ts';

/** One signature of a function, with its implementation. */
export interface Overload {
  /** the id in cost tables and messages */
  readonly id: string;
  readonly name: string;
  /** `a.f(b)` instead of `f(a, b)`; the receiver is the first parameter */
  readonly isMember: boolean;
  readonly params: readonly Type[];
  readonly result: Type;
  readonly run: (args: readonly Value[], meter: Meter) => Value;
}

/**
 * Declares an overload. The signature determines the call: `size(list(A)): int` is called as a function,
 * `string::charAt(int): string` as a method of a string. Capital letters are type parameters.
 */
export function overload<Args extends readonly Value[]>(
  id: string,
  signature: string,
  run: (args: Args, meter: Meter) => Value,
): Overload {
  const match = /^(?:(.+?)::)?([^(]+)\((.*)\): (.+)$/.exec(signature);
  if (match === null) throw new Error(`${signature} is not a valid signature`);
  const [, target, name = '', params = '', result = ''] = match;
  const types = [...(target === undefined ? [] : [target]), ...split(params)].map(readType);
  const plain = run as unknown as Overload['run'];
  return { id, name, isMember: target !== undefined, params: types, result: readType(result), run: plain };
}

const NAMED: Readonly<Record<string, Type>> = {
  bool: boolType,
  bytes: bytesType,
  double: doubleType,
  duration: durationType,
  dyn: dynType,
  int: intType,
  null: nullType,
  string: stringType,
  timestamp: timestampType,
  uint: uintType,
};

function readType(text: string): Type {
  const match = /^([^(]+)(?:\((.*)\))?$/.exec(text.trim());
  const [, name = '', inner] = match ?? [];
  const [first, second] = inner === undefined ? [] : split(inner).map(readType);
  if (first === undefined) return NAMED[name] ?? (/^[A-Z]$/.test(name) ? paramType(name) : opaqueType(name));
  if (name === 'list') return listType(first);
  if (name === 'map') return mapType(first, second as Type);
  if (name === 'type') return typeType(first);
  return name === 'optional' ? optionalType(first) : opaqueType(name, first);
}

/** Splits at commas outside brackets. */
function split(text: string): string[] {
  const parts: string[] = [];
  let [depth, from] = [0, 0];
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '(') depth++;
    if (text[i] === ')') depth--;
    if (text[i] !== ',' || depth > 0) continue;
    parts.push(text.slice(from, i));
    from = i + 1;
  }
  const rest = text.slice(from).trim();
  return rest === '' ? parts : [...parts, rest];
}
