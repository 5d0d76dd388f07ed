import type { Fold } from '../syntax/expression.ts';
import { CostExceeded, Failure, noSuchOverload } from '../values/failure.ts';
import { ListValue, MapValue, type Value } from '../values/value.ts';
import type { Building } from './building.ts';
import type { Frame, Step } from './frame.ts';

/**
 * Makes a loop ready to run. A failed turn is kept as its value: a later turn can make it irrelevant, as `||` and
 * `&&` do.
 */
export function buildFold(expression: Fold, building: Building): Step {
  const { variable, second, carried, condition } = expression;
  const free = building.slots.size === 0 ? 0 : Math.max(...building.slots.values()) + 1;
  const within = new Map(building.slots).set(carried, free);
  const turns = new Map(within).set(variable, free + 1);
  if (second !== undefined) turns.set(second, free + 2);
  const range = building.build(expression.range, building);
  const start = building.build(expression.start, building);
  const step = building.build(expression.step, { ...building, slots: turns });
  const goesOn = building.build(condition, { ...building, slots: turns });
  const result = building.build(expression.result, { ...building, slots: within });
  const isEndless = condition.kind === 'literal' && condition.value === true;
  const turn = (frame: Frame): boolean => {
    if (!isEndless && goesOn(frame) !== true) return false;
    const { slots } = frame;
    try {
      slots[free] = step(frame);
    } catch (error) {
      if (isEndless || !(error instanceof Failure) || error instanceof CostExceeded) throw error;
      slots[free] = error;
    }
    return true;
  };
  return (frame) => {
    const over = range(frame);
    frame.slots[free] = start(frame);
    for (const [first, other] of turnsOf(over, second !== undefined)) {
      frame.slots[free + 1] = first;
      if (other !== undefined) frame.slots[free + 2] = other;
      if (!turn(frame)) break;
    }
    return result(frame);
  };
}

/** The turns of a loop: items, or indexes and items of a list; keys, or keys and values of a map. */
function* turnsOf(over: Value, isPair: boolean): Generator<readonly [Value, Value | undefined]> {
  if (over instanceof ListValue) {
    for (let i = 0; i < over.size; i++) yield isPair ? [BigInt(i), over.at(i)] : [over.at(i), undefined];
  } else if (over instanceof MapValue) {
    for (const key of over.keys()) yield [key, isPair ? (over.get(key) as Value) : undefined];
  } else throw noSuchOverload();
}
