import type { Type } from '../types/type.ts';
import type { Duration, Timestamp } from './time.ts';

/**
 * A value during evaluation. Integers are bigints, so that 64 bits are exact; a number is always a double. Types that
 * JavaScript does not have are classes.
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

/** An unsigned integer. */
export class Uint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** An optional value. */
export class Optional {
  static readonly none = new Optional(undefined);
  readonly value: Value | undefined;

  constructor(value: Value | undefined) {
    this.value = value;
  }
}

/** A type as a value: the result of `type(x)`. */
export class TypeValue {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A value of a library type: an address, a quantity, a URL. */
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

  /** Whether the fields that expressions cannot use are equal. */
  hasSameHiddenFields(_other: MapValue): boolean {
    return true;
  }
}
