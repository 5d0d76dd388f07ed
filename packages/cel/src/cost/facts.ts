import type { Expression } from '../syntax/expression.ts';
import type { Shape, Type } from '../types/type.ts';
import type { Range } from './range.ts';

/** The sizes of the keys and values of a list or map. */
export interface Entries {
  readonly isList: boolean;
  readonly key: Range;
  readonly value: Range;
}

/** The estimate of a part of an expression, and what it is based on. */
export interface Facts {
  readonly cost: Range;
  readonly type: Type;
  readonly expression: Expression | undefined;
  readonly size?: Range | undefined;
  readonly entries?: Entries | undefined;
  /** the place of the value in a variable; undefined when the value does not come from a variable */
  readonly place?: Place | undefined;
}

/** A place in a variable; `shape` is undefined when the schema has nothing there. */
export interface Place {
  readonly shape: Shape | undefined;
}
