import type { Failure } from '../values/failure.ts';
import type { Meter } from '../values/meter.ts';
import type { Value } from '../values/value.ts';

/** A value that is made when it is first asked for. */
export type Lazy = () => Value;

/** What one evaluation works with. */
export interface Frame {
  readonly variables: ReadonlyMap<string, Value | Lazy>;
  /** of loops: what they carry along and what their turn is about. A failure may be carried, too. */
  readonly slots: Array<Value | Failure>;
  readonly meter: Meter;
}

/** A part of an expression, ready to run. */
export type Step = (frame: Frame) => Value;
