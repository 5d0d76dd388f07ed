import { listType, mapType, opaqueType, type Type, typeType } from './type.ts';

/** The types of an expression are too large. */
export class TooLarge extends Error {}

/**
 * The bindings of type parameters.
 *
 * Invariant: a failed attempt leaves no bindings behind. Its bindings are undone one by one, because copying all
 * bindings for each attempt would take quadratic time.
 */
export class Bindings {
  readonly #known = new Map<string, Type>();
  #tried: Array<readonly [name: string, before: Type | undefined]> = [];
  #left: number;

  /** @param mostSteps a limit, because types can double with every step of an expression: `{a: a}` */
  constructor(mostSteps: number) {
    this.#left = mostSteps;
  }

  /** Counts a visit of a part of a type. */
  step(): void {
    if (--this.#left < 0) throw new TooLarge();
  }

  get(name: string): Type | undefined {
    return this.#known.get(name);
  }

  set(name: string, type: Type): void {
    this.#tried.push([name, this.#known.get(name)]);
    this.#known.set(name, type);
  }

  /** Whether values of types `from` are assignable to types `to`; if so, keeps the bindings that this requires. */
  assign(from: readonly Type[], to: readonly Type[]): boolean {
    const fits = allAssignable(this, from, to);
    if (!fits) {
      for (const [name, before] of this.#tried.toReversed()) {
        if (before === undefined) this.#known.delete(name);
        else this.#known.set(name, before);
      }
    }
    this.#tried = [];
    return fits;
  }
}

function allAssignable(made: Bindings, from: readonly Type[], to: readonly Type[]): boolean {
  return from.length === to.length && from.every((type, i) => isAssignable(made, type, to[i] as Type));
}

function isAssignable(made: Bindings, a: Type, b: Type): boolean {
  made.step();
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

/** bound: the parameter is bound to the type; other: it is bound to another type; open: it cannot be bound */
function bind(made: Bindings, type: Type, param: Type): 'bound' | 'other' | 'open' {
  if (isSame(made, type, param)) return 'bound';
  const known = made.get(param.name);
  if (known !== undefined) {
    if (isSame(made, type, known)) return 'bound';
    if (!isAssignable(made, type, known)) return 'other';
    const general = mostGeneral(made, type, known);
    if (isFree(made, param, general)) made.set(param.name, general);
    return 'bound';
  }
  if (!isFree(made, param, type)) return 'open';
  made.set(param.name, type);
  return 'bound';
}

function isSame(made: Bindings, a: Type, b: Type): boolean {
  made.step();
  if (a === b) return true;
  if (a.kind !== b.kind || a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((param, i) => isSame(made, param, b.params[i] as Type));
}

/** A parameter cannot be bound to a type that contains it. */
function isFree(made: Bindings, param: Type, within: Type): boolean {
  made.step();
  if (isSame(made, param, within)) return false;
  if (within.kind === 'param') {
    const known = made.get(within.name);
    return known === undefined || isFree(made, param, known);
  }
  return within.params.every((inner) => isFree(made, param, inner));
}

export function mostGeneral(made: Bindings, a: Type, b: Type): Type {
  return isLessSpecific(made, a, b) ? a : b;
}

function isLessSpecific(made: Bindings, a: Type, b: Type): boolean {
  made.step();
  if (a.kind === 'dyn' || a.kind === 'param') return true;
  if (b.kind === 'dyn' || b.kind === 'param' || a.kind !== b.kind) return false;
  if (a.kind === 'type') return true;
  if (a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((param, i) => isLessSpecific(made, param, b.params[i] as Type));
}

/** Replaces bound parameters by their types, and unbound ones by `open`. */
export function substitute(bindings: Bindings, type: Type, open?: Type): Type {
  bindings.step();
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
