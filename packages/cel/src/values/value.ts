import type { Type } from '../types/type.ts';
import type { Duration, Timestamp } from './time.ts';

/**
 * A value while expressions run. Whole numbers are bigints, so that 64 bits are exact; a number is always a double. What
 * JavaScript has no type for has a class.
 */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Duration
  | Timestamp
  | Optional
  | TypeValue
  | ListValue
  | MapValue
  | OpaqueValue;

/** A whole number without a sign. */
export class Uint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** A value that may not be there. */
export class Optional {
  static readonly none = new Optional(undefined);
  readonly value: Value | undefined;

  constructor(value: Value | undefined) {
    this.value = value;
  }
}

/** A type as a value: what `type(x)` gives. */
export class TypeValue {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Values of types that a library brings along: addresses, quantities, URLs. */
export abstract class OpaqueValue {
  abstract readonly type: Type;
  abstract equals(other: OpaqueValue): boolean;
}

export abstract class ListValue {
  abstract readonly size: number;
  abstract at(index: number): Value;

  *[Symbol.iterator](): Generator<Value> {
    for (let i = 0; i < this.size; i++) yield this.at(i);
  }
}

export abstract class MapValue {
  abstract readonly size: number;
  abstract get(key: Value): Value | undefined;
  abstract keys(): readonly Value[];

  /** Whether what expressions cannot see is alike. */
  hidesTheSame(_other: MapValue): boolean {
    return true;
  }
}
