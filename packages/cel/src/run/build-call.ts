import { actualCost } from '../cost/actual.ts';
import type { Overload } from '../functions/overload.ts';
import type { Call, Expression } from '../syntax/expression.ts';
import type { Type } from '../types/type.ts';
import { ArrayList } from '../values/collections.ts';
import { CostExceeded, Failure, noSuchOverload } from '../values/failure.ts';
import { typeNameOf } from '../values/type-name.ts';
import { ListValue, Uint, type Value } from '../values/value.ts';
import type { Building } from './building.ts';
import type { Frame, Step } from './frame.ts';

/** Makes a call ready to run: operators that evaluate one side first, and functions. */
export function buildCall(expression: Call, building: Building): Step {
  const { name, target, resolved } = expression;
  const args = expression.args.map((arg) => building.build(arg, building));
  const [first, second, third] = args as [Step, Step, Step];
  switch (name) {
    case '_&&_':
      return either(first, second, false);
    case '_||_':
      return either(first, second, true);
    case '_?_:_':
      return (frame) => {
        const condition = first(frame);
        if (typeof condition !== 'boolean') throw noSuchOverload();
        return condition ? second(frame) : third(frame);
      };
    case '@not_strictly_false':
      return notStrictlyFalse(first);
  }
  if (expression.inPlace && name === '_+_') return append(first, expression.args[1] as Expression, building);
  const steps = target === undefined || resolved !== undefined ? args : [building.build(target, building), ...args];
  const types = [...(steps.length > args.length ? [target as Expression] : []), ...expression.args].map(
    ({ type }) => type as Type,
  );
  const candidates = (expression.overloads ?? []).map((id) => building.overloads.get(id) as Overload);
  return strict(steps, types, candidates);
}

/** A side with the deciding value decides the result, also when the other side fails. */
function either(left: Step, right: Step, deciding: boolean): Step {
  return (frame) => {
    const value = attempt(left, frame);
    if (value === deciding) return deciding;
    const other = attempt(right, frame);
    if (other === deciding) return deciding;
    if (value instanceof Failure) throw value;
    if (other instanceof Failure) throw other;
    if (typeof value !== 'boolean' || typeof other !== 'boolean') throw noSuchOverload();
    return other;
  };
}

function attempt(step: Step, frame: Frame): Value | Failure {
  try {
    return step(frame);
  } catch (error) {
    if (!(error instanceof Failure) || error instanceof CostExceeded) throw error;
    return error;
  }
}

function notStrictlyFalse(inner: Step): Step {
  return (frame) => {
    frame.meter.spend(1);
    return attempt(inner, frame) !== false;
  };
}

/** Appends to a list of a macro in place, because nothing else can see the list before it is complete. */
function append(list: Step, added: Expression, building: Building): Step {
  const [only] = (added as Expression & { kind: 'list' }).items;
  const item = building.build(only as Expression, building);
  return (frame) => {
    const grown = list(frame) as ArrayList;
    const value = item(frame);
    frame.meter.spend(11);
    if (grown.items.length > 0) {
      grown.items.push(value);
      return grown;
    }
    return new ArrayList([value]);
  };
}

function strict(steps: readonly Step[], types: readonly Type[], candidates: readonly Overload[]): Step {
  const [only] = candidates;
  if (only === undefined) throw new Error('a call was not checked');
  if (candidates.length > 1 || types.some(isOpen)) return dispatched(steps, candidates);
  const cost = actualCost(only);
  const { run, name, params } = only;
  const takesNull = params.map(({ kind }) => kind === 'dyn' || kind === 'param' || kind === 'null');
  return (frame) => {
    const args: Value[] = [];
    for (let i = 0; i < steps.length; i++) {
      const value = (steps[i] as Step)(frame);
      // fields and items of any type can be null
      if (value === null && !takesNull[i]) throw new Failure(`no such overload: ${name}`);
      args.push(value);
    }
    frame.meter.spend(typeof cost === 'number' ? cost : cost(args));
    return run(args, frame.meter);
  };
}

function isOpen(type: Type): boolean {
  return type.kind === 'dyn' || type.kind === 'param' || type.params.some(isOpen);
}

/** A call whose overload depends on the values of its arguments. */
function dispatched(steps: readonly Step[], candidates: readonly Overload[]): Step {
  const costs = candidates.map(actualCost);
  return (frame) => {
    const args = steps.map((step) => step(frame));
    const found = candidates.findIndex(({ params }) =>
      params.every(
        (type, i) => fits(args[i] as Value, type) || (i === 1 && isIndex(args[i] as Value, type, candidates)),
      ),
    );
    const overload = candidates[found];
    const cost = costs[found];
    if (overload === undefined || cost === undefined) throw noSuchOverload();
    frame.meter.spend(typeof cost === 'number' ? cost : cost(args));
    return overload.run(args, frame.meter);
  };
}

/** A list can be indexed by any number without a fraction. */
function isIndex(value: Value, type: Type, [first]: readonly Overload[]): boolean {
  return first?.name === '_[_]' && type.kind === 'int' && (typeof value === 'number' || value instanceof Uint);
}

function fits(value: Value, type: Type): boolean {
  if (type.kind === 'dyn' || type.kind === 'param') return true;
  if (type.kind === 'list') {
    const [item] = type.params as [Type];
    // the first item decides, because all items of a list have one type
    return value instanceof ListValue && (value.size === 0 || fits(value.at(0), item));
  }
  const name = typeNameOf(value);
  if (type.kind === 'map' || type.kind === 'object') return name === 'map';
  return name === (type.kind === 'null' ? 'null_type' : type.name);
}
