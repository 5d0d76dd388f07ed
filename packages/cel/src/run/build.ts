import type { Expression, ListLiteral, MapLiteral, Select } from '../syntax/expression.ts';
import { ArrayList, ValueMap } from '../values/collections.ts';
import { Failure, noSuchKey, noSuchOverload } from '../values/failure.ts';
import { MapValue, Optional, TypeValue, type Value } from '../values/value.ts';
import { buildCall } from './build-call.ts';
import { buildFold } from './build-fold.ts';
import type { Building } from './building.ts';
import type { Step } from './frame.ts';

const SELECT_COST = 1;
const LIST_COST = 10;
const MAP_COST = 30;

/** Makes a checked expression ready to run. */
export function build(expression: Expression, building: Building): Step {
  switch (expression.kind) {
    case 'literal': {
      const { value } = expression;
      return () => value;
    }
    case 'ident':
      return buildNamed(expression.name, building);
    case 'select':
      return buildSelect(expression, building);
    case 'call':
      return expression.name === '_?._' ? buildOptionalSelect(expression, building) : buildCall(expression, building);
    case 'list':
      return buildList(expression, building);
    case 'map':
      return buildMap(expression, building);
    case 'fold':
      return buildFold(expression, building);
    case 'struct':
      throw new Error(`${expression.name} has no values`);
  }
}

function buildNamed(name: string, { slots, types, variables }: Building): Step {
  const slot = slots.get(name);
  if (slot !== undefined) {
    return ({ slots: values, meter }) => {
      meter.spend(SELECT_COST);
      const value = values[slot] as Value | Failure;
      if (value instanceof Failure) throw value;
      return value;
    };
  }
  const plain = name.replace(/^\./, '');
  const type = variables.has(plain) ? undefined : types.get(plain);
  if (type !== undefined) {
    const value = new TypeValue(plain);
    return () => value;
  }
  return ({ variables: values, meter }) => {
    meter.spend(SELECT_COST);
    const value = values.get(plain);
    if (value === undefined) throw new Failure(`no such attribute(s): ${plain}`);
    return typeof value === 'function' ? value() : value;
  };
}

function buildSelect(expression: Select, building: Building): Step {
  const { operand, field, isTest, resolved } = expression;
  if (resolved !== undefined) return buildNamed(resolved, building);
  const inner = build(operand, building);
  if (isTest) return (frame) => isThere(inner(frame), field);
  return (frame) => {
    const target = inner(frame);
    frame.meter.spend(SELECT_COST);
    if (target instanceof Optional) return target.value === undefined ? target : optionalField(target.value, field);
    return fieldOf(target, field);
  };
}

function buildOptionalSelect({ args }: Expression & { kind: 'call' }, building: Building): Step {
  const [operand, name] = args as [Expression, Expression & { kind: 'literal' }];
  const inner = build(operand, building);
  const field = String(name.value);
  return (frame) => {
    const target = inner(frame);
    frame.meter.spend(SELECT_COST);
    if (!(target instanceof Optional)) return optionalField(target, field);
    return target.value === undefined ? target : optionalField(target.value, field);
  };
}

function fieldOf(target: Value, field: string): Value {
  if (!(target instanceof MapValue)) throw noSuchOverload();
  const value = target.get(field);
  if (value === undefined) throw noSuchKey(field);
  return value;
}

function optionalField(target: Value, field: string): Optional {
  if (!(target instanceof MapValue)) throw noSuchOverload();
  const value = target.get(field);
  return value === undefined ? Optional.none : new Optional(value);
}

function isThere(target: Value, field: string): boolean {
  if (target instanceof Optional) return target.value !== undefined && isThere(target.value, field);
  if (!(target instanceof MapValue)) throw noSuchOverload();
  return target.get(field) !== undefined;
}

function buildList({ items, optional }: ListLiteral, building: Building): Step {
  const steps = items.map((item) => build(item, building));
  if (items.every(({ kind }) => kind === 'literal')) {
    const list = new ArrayList(items.map((item) => (item as Expression & { kind: 'literal' }).value));
    return ({ meter }) => {
      meter.spend(LIST_COST);
      return list;
    };
  }
  return (frame) => {
    const values: Value[] = [];
    for (const [i, step] of steps.entries()) {
      const value = step(frame);
      if (!optional.has(i)) values.push(value);
      else if (!(value instanceof Optional)) throw noSuchOverload();
      else if (value.value !== undefined) values.push(value.value);
    }
    frame.meter.spend(LIST_COST);
    return new ArrayList(values);
  };
}

function buildMap({ entries }: MapLiteral, building: Building): Step {
  const steps = entries.map(({ key, value, isOptional }) => ({
    key: build(key, building),
    value: build(value, building),
    isOptional,
  }));
  return (frame) => {
    const map = ValueMap.of([]);
    for (const { key: keyStep, value: valueStep, isOptional } of steps) {
      const key = keyStep(frame);
      let value: Value | undefined = valueStep(frame);
      if (isOptional) {
        if (!(value instanceof Optional)) throw noSuchOverload();
        value = value.value;
      }
      if (map.get(key) !== undefined) throw new Failure(`Failed with repeated key: ${String(key)}`);
      if (value !== undefined && !map.set(key, value)) throw new Failure('unsupported key type');
    }
    frame.meter.spend(MAP_COST);
    return map;
  };
}
