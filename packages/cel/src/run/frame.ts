import type { Failure } from '../values/failure.ts';
import type { Meter } from '../values/meter.ts';
import type { Value } from '../values/value.ts';

/** A value that is made at its first use. */
export type Lazy = () => Value;

/** The state of one evaluation. */
export interface Frame {
  readonly variables: ReadonlyMap<string, Value | Lazy>;
  /** the variables of loops: accumulator and iteration variables. A failure can be the value of an accumulator. */
  readonly slots: Array<Value | Failure>;
  readonly meter: Meter;
}

/** A part of an expression, ready to run. */
export type Step = (frame: Frame) => Value;
