import type { Overload } from '../functions/overload.ts';
import type { Expression } from '../syntax/expression.ts';
import type { Type } from '../types/type.ts';
import type { Step } from './frame.ts';

/** The slots of loop variables, by name. */
type Slots = ReadonlyMap<string, number>;

/** The environment in which an expression is made ready to run. */
export interface Building {
  readonly overloads: ReadonlyMap<string, Overload>;
  readonly types: ReadonlyMap<string, Type>;
  readonly variables: ReadonlyMap<string, Type>;
  readonly slots: Slots;
  /** makes the parts of a call or a loop ready to run */
  readonly build: (expression: Expression, building: Building) => Step;
}
