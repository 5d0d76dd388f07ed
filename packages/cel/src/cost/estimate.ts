import type { Call, Expression, Fold, ListLiteral, MapLiteral, Select } from '../syntax/expression.ts';
import type { Shape, Type } from '../types/type.ts';
import { callEstimate } from './calls.ts';
import type { Entries, Facts, Place } from './facts.ts';
import { add, fixed, MAX_COST, multiply, type Range, sum, UNKNOWN, union } from './range.ts';
import { exprSize, isScalar } from './sizes.ts';

export type CostRange = Range;

/**
 * Estimates the cost of an expression, as kube-apiserver does when a rule is written. Every step has a price; the
 * price of steps that read texts and lists depends on their largest size, and a loop is charged once for each
 * possible item of its list.
 */
export function estimateCost(expression: Expression, shapes: ReadonlyMap<string, Shape>): CostRange {
  return new Estimator(shapes).facts(expression).cost;
}

const STEP = fixed(1);
const FREE = fixed(0);
const LIST = fixed(10);
const MAP = fixed(30);

class Estimator {
  readonly #shapes: ReadonlyMap<string, Shape>;
  readonly #root: Shape | undefined;
  #locals = new Map<string, Facts>();

  constructor(shapes: ReadonlyMap<string, Shape>) {
    this.#shapes = shapes;
    this.#root = shapes.get('self') ?? [...shapes.values()][0];
  }

  facts(expression: Expression): Facts {
    const found = this.#raw(expression);
    const facts = { ...found, type: expression.type as Type, expression };
    return { ...facts, size: facts.size ?? this.#sizeOf(facts) };
  }

  #raw(expression: Expression): Partial<Facts> & { cost: Range } {
    switch (expression.kind) {
      case 'literal':
        return { cost: FREE };
      case 'ident':
        return this.#ident(expression.name);
      case 'select':
        return this.#select(expression);
      case 'call':
        return this.#call(expression);
      case 'list':
        return this.#list(expression);
      case 'map':
        return this.#map(expression);
      case 'fold':
        return this.#fold(expression);
      case 'struct':
        return { cost: fixed(40) };
    }
  }

  #sizeOf({ place, type, expression }: Omit<Facts, 'cost'>): Range | undefined {
    const own = expression === undefined ? undefined : exprSize(expression);
    if (own !== undefined) return own;
    if (place?.shape !== undefined) return { min: 0, max: place.shape.maxElements };
    if (isScalar(type)) return STEP;
    return expression?.kind === 'ident' ? this.#locals.get(expression.name)?.size : undefined;
  }

  #ident(name: string): Partial<Facts> & { cost: Range } {
    const local = this.#locals.get(name);
    if (local !== undefined) return { cost: STEP, place: local.place, entries: local.entries };
    return { cost: STEP, place: { shape: this.#shapes.get(name.replace(/^\./, '')) ?? this.#root } };
  }

  #select({ operand, field, isTest, resolved }: Select): Partial<Facts> & { cost: Range } {
    if (resolved !== undefined) return this.#ident(resolved);
    const of = this.facts(operand);
    if (isTest) return { cost: of.cost };
    const { kind } = of.type;
    const isPriced = kind === 'map' || kind === 'object' || kind === 'param';
    return { cost: isPriced ? add(of.cost, STEP) : of.cost, place: this.#inside(of.place, field) };
  }

  /** The place one step inside another. Without a place it is the root, as in kube-apiserver. */
  #inside(place: Place | undefined, step: string): Place {
    if (place === undefined) return { shape: this.#root };
    const { shape } = place;
    if (step === '@items' || step === '@values') return { shape: shape?.item };
    if (step === '@keys') return { shape: shape?.key };
    return { shape: shape?.fields?.get(step)?.shape };
  }

  #call(expression: Call): Partial<Facts> & { cost: Range } {
    const { name, target, resolved } = expression;
    const args = expression.args.map((arg) => this.facts(arg));
    if (name === 'dyn') {
      const { cost, size, entries } = args[0] as Facts;
      return { cost: add(cost, STEP), size, entries };
    }
    const own = target === undefined || resolved !== undefined ? undefined : this.facts(target);
    const paid = sum(args.map(({ cost }) => cost));
    const before = own?.cost ?? FREE;
    if (name === '_&&_' || name === '_||_') {
      const [left, right] = args as [Facts, Facts];
      return { cost: { min: left.cost.min, max: add(left.cost, right.cost).max } };
    }
    if (name === '_?_:_') return conditional(args as [Facts, Facts, Facts]);
    let called: Range = { min: MAX_COST, max: 0 };
    let size: Range | undefined;
    for (const id of expression.overloads ?? ['']) {
      const estimate = callEstimate({ name: resolved ?? name, id, target: own, args });
      called = union(called, add(estimate.cost, paid));
      if (estimate.size !== undefined) size = size === undefined ? estimate.size : union(size, estimate.size);
    }
    return { cost: add(before, called), size, ...this.#reached(expression, args) };
  }

  /** The place of an index, and the entries of a sum of lists. */
  #reached({ name, overloads = [] }: Call, args: readonly Facts[]): Partial<Facts> {
    const [first, second] = args;
    const isList = overloads.includes('index_list');
    if (isList || overloads.includes('index_map')) {
      const place = this.#inside(first?.place, isList ? '@items' : '@values');
      return { place, ...(first?.entries === undefined ? {} : { size: first.entries.value }) };
    }
    if (name === '_+_' && first !== undefined && second !== undefined) {
      const entries = merged(first.entries, second.entries);
      return entries === undefined ? {} : { entries };
    }
    return {};
  }

  #list({ items }: ListLiteral): Partial<Facts> & { cost: Range } {
    const all = items.map((item) => this.facts(item));
    const value = spread(all.map(({ size }) => size ?? UNKNOWN));
    return { cost: add(sum(all.map(({ cost }) => cost)), LIST), entries: { isList: true, key: STEP, value } };
  }

  #map({ entries }: MapLiteral): Partial<Facts> & { cost: Range } {
    const keys = entries.map(({ key }) => this.facts(key));
    const values = entries.map(({ value }) => this.facts(value));
    const sizes = (all: readonly Facts[]) => spread(all.map(({ size }) => size ?? UNKNOWN));
    return {
      cost: add(sum([...keys, ...values].map(({ cost }) => cost)), MAP),
      entries: { isList: false, key: sizes(keys), value: sizes(values) },
    };
  }

  #fold(expression: Fold): Partial<Facts> & { cost: Range } {
    const range = this.facts(expression.range);
    const start = this.facts(expression.start);
    const before = this.#locals;
    this.#locals = new Map(before).set(expression.carried, { ...start, place: start.place });
    const within = this.#locals;
    const isBinding = expression.variable === '#unused';
    if (isBinding) {
      const result = this.facts(expression.result);
      this.#locals = before;
      return { cost: sum([range.cost, start.cost, result.cost]), size: result.size, entries: result.entries };
    }
    this.#locals = new Map([...within, ...this.#turnLocals(expression, range)]);
    const condition = this.facts(expression.condition);
    const step = this.facts(expression.step);
    this.#locals = within;
    const result = this.facts(expression.result);
    this.#locals = before;
    const count = range.size ?? UNKNOWN;
    const turns = multiply(count, add(condition.cost, step.cost));
    const cost = sum([range.cost, start.cost, result.cost, turns]);
    if (expression.start.kind === 'literal') return { cost, size: start.size };
    return { cost, size: count, entries: step.entries };
  }

  #turnLocals({ variable, second }: Fold, range: Facts): Array<[string, Facts]> {
    const isList = range.entries?.isList ?? range.type.kind === 'list';
    const local = (step: string, size: Range | undefined): Facts => ({
      cost: STEP,
      type: range.type,
      expression: undefined,
      size,
      place: this.#inside(range.place, step),
    });
    const { key, value } = range.entries ?? {};
    if (second === undefined) return [[variable, isList ? local('@items', value) : local('@keys', key)]];
    return [
      [variable, { ...local('@keys', key), ...(isList ? { place: { shape: undefined } } : {}) }],
      [second, isList ? local('@items', value) : local('@values', value)],
    ];
  }
}

function conditional([condition, yes, no]: [Facts, Facts, Facts]): Partial<Facts> & { cost: Range } {
  const size = union(yes.size ?? UNKNOWN, no.size ?? UNKNOWN);
  return { cost: add(condition.cost, union(yes.cost, no.cost)), size, entries: merged(yes.entries, no.entries) };
}

function merged(a: Entries | undefined, b: Entries | undefined): Entries | undefined {
  if (a === undefined || b === undefined) return undefined;
  return { isList: a.isList, key: union(a.key, b.key), value: union(a.value, b.value) };
}

function spread(ranges: readonly Range[]): Range {
  return ranges.length === 0 ? FREE : ranges.reduce(union, { min: MAX_COST, max: 0 });
}
