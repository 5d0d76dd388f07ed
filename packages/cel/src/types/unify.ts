import { isSameType, listType, mapType, opaqueType, type Type, typeType } from './type.ts';

/** What the type parameters stand for, as far as it is known. */
export type Bindings = ReadonlyMap<string, Type>;

/** The bindings under which a value of one type may stand where the other is wanted; undefined when there are none. */
export function assign(bindings: Bindings, from: readonly Type[], to: readonly Type[]): Bindings | undefined {
  const made = new Map(bindings);
  return allAssignable(made, from, to) ? made : undefined;
}

type Made = Map<string, Type>;

function allAssignable(made: Made, from: readonly Type[], to: readonly Type[]): boolean {
  return from.length === to.length && from.every((type, i) => isAssignable(made, type, to[i] as Type));
}

function isAssignable(made: Made, a: Type, b: Type): boolean {
  if (b.kind === 'param') {
    const outcome = bind(made, a, b);
    if (outcome === 'bound') return true;
    if (outcome === 'other') return false;
  }
  if (a.kind === 'param') return bind(made, b, a) === 'bound';
  if (isLoose(a) || isLoose(b)) return true;
  if (a.kind === 'null') return isNullable(b);
  if (b.kind === 'null') return isNullable(a);
  switch (a.kind) {
    case 'type':
      return b.kind === 'type';
    case 'opaque':
    case 'list':
    case 'map':
      return a.kind === b.kind && a.name === b.name && allAssignable(made, a.params, b.params);
    default:
      return a.kind === b.kind && a.name === b.name;
  }
}

export function isLoose({ kind }: Type): boolean {
  return kind === 'dyn' || kind === 'error';
}

function isNullable({ kind }: Type): boolean {
  return kind === 'null' || kind === 'opaque' || kind === 'object' || kind === 'duration' || kind === 'timestamp';
}

/** bound: the parameter stands for the type; other: it stands for something else; open: it cannot be bound here */
function bind(made: Made, type: Type, param: Type): 'bound' | 'other' | 'open' {
  if (isSameType(type, param)) return 'bound';
  const known = made.get(param.name);
  if (known !== undefined) {
    if (isSameType(type, known)) return 'bound';
    if (!isAssignable(made, type, known)) return 'other';
    const general = mostGeneral(type, known);
    if (isFree(made, param, general)) made.set(param.name, general);
    return 'bound';
  }
  if (!isFree(made, param, type)) return 'open';
  made.set(param.name, type);
  return 'bound';
}

/** A parameter never stands for something that contains it. */
function isFree(made: Made, param: Type, within: Type): boolean {
  if (isSameType(param, within)) return false;
  if (within.kind === 'param') {
    const known = made.get(within.name);
    return known === undefined || isFree(made, param, known);
  }
  return within.params.every((inner) => isFree(made, param, inner));
}

export function mostGeneral(a: Type, b: Type): Type {
  return isLessSpecific(a, b) ? a : b;
}

function isLessSpecific(a: Type, b: Type): boolean {
  if (a.kind === 'dyn' || a.kind === 'param') return true;
  if (b.kind === 'dyn' || b.kind === 'param' || a.kind !== b.kind) return false;
  if (a.kind === 'type') return true;
  if (a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((param, i) => isLessSpecific(param, b.params[i] as Type));
}

/** The type with what its parameters stand for; of those that stand for nothing, `open` says what is in their place. */
export function substitute(bindings: Bindings, type: Type, open?: Type): Type {
  if (type.kind === 'param') {
    const known = bindings.get(type.name);
    if (known !== undefined) return substitute(bindings, known, open);
    return open ?? type;
  }
  if (type.params.length === 0) return type;
  const params = type.params.map((param) => substitute(bindings, param, open));
  const [first, second] = params as [Type, Type];
  switch (type.kind) {
    case 'list':
      return listType(first);
    case 'map':
      return mapType(first, second);
    case 'type':
      return typeType(first);
    default:
      return opaqueType(type.name, ...params);
  }
}
