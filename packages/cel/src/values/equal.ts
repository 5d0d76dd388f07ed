import { KeyedList } from './keyed-list.ts';
import type { Meter } from './meter.ts';
import { Duration, Timestamp } from './time.ts';
import { ListValue, MapValue, OpaqueValue, Optional, TypeValue, Uint, type Value } from './value.ts';

/** Numbers of different types are compared by value; other values of different types are not equal. */
export function isEqual(a: Value, b: Value, meter: Meter): boolean {
  meter.step();
  if (typeof a === 'string' && typeof b === 'string' && a.length === b.length) meter.read(a.length);
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return isSameScalar(a, b);
  if (a instanceof Uint) return b instanceof Uint && a.value === b.value;
  if (a instanceof ListValue) return b instanceof ListValue && isSameList(a, b, meter);
  if (a instanceof MapValue) return b instanceof MapValue && isSameMap(a, b, meter);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof Optional) {
    if (!(b instanceof Optional)) return false;
    if (a.value === undefined || b.value === undefined) return a.value === b.value;
    return isEqual(a.value, b.value, meter);
  }
  return b instanceof OpaqueValue && a.type.name === b.type.name && a.equals(b);
}

function isSameScalar(a: Value, b: Value): boolean {
  const [left, right] = [numeric(a), numeric(b)];
  // biome-ignore lint/suspicious/noDoubleEquals: a bigint and a double are compared by value
  return left !== undefined && right !== undefined ? left == right : a === b;
}

function numeric(value: Value): bigint | number | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  return value instanceof Uint ? value.value : undefined;
}

function isSameList(a: ListValue, b: ListValue, meter: Meter): boolean {
  if (a.size !== b.size) return false;
  if (a instanceof KeyedList) return isSameKeyed(a, b, meter);
  for (let i = 0; i < a.size; i++) if (!isEqual(a.at(i), b.at(i), meter)) return false;
  return true;
}

function isSameKeyed(a: KeyedList, b: ListValue, meter: Meter): boolean {
  const known = a.byKey(meter);
  for (const item of b) {
    const own = known.get(a.keyOf(item, meter));
    if (own === undefined || !isEqual(own, item, meter)) return false;
  }
  return true;
}

function isSameMap(a: MapValue, b: MapValue, meter: Meter): boolean {
  if (a.size !== b.size || !a.hasSameHiddenFields(b)) return false;
  for (const key of a.keys()) {
    const other = b.get(key);
    if (other === undefined || !isEqual(a.get(key) as Value, other, meter)) return false;
  }
  return true;
}

/** Negative, zero or positive; undefined if the values have no order, as with NaN. */
export function compare(a: Value, b: Value): number | undefined {
  const [left, right] = [ordered(a), ordered(b)];
  if (left === undefined || right === undefined) return undefined;
  if (typeof left === 'string' && typeof right === 'string') return compareText(left, right);
  if (typeof left === typeof right) return left < right ? -1 : left > right ? 1 : left === right ? 0 : Number.NaN;
  if (isOther(left) || isOther(right)) return undefined;
  // an integer is converted to the nearest double
  const difference = Number(left) - Number(right);
  return Number(left) === Number(right) ? 0 : difference;
}

function isOther(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean';
}

function ordered(value: Value): string | boolean | bigint | number | undefined {
  if (value instanceof Uint) return value.value;
  if (value instanceof Duration || value instanceof Timestamp) return value.nanos;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  return typeof value === 'object' ? undefined : value;
}

/** Compares by code points, which is the order of UTF-8 bytes; JavaScript compares UTF-16 units. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const shorter = Math.min(a.length, b.length);
  for (let i = 0; i < shorter; i++) {
    const [left, right] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (left === right) continue;
    const [high, low] = [isSurrogate(left), isSurrogate(right)];
    if (high !== low) return high ? 1 : -1;
    return left - right;
  }
  return a.length - b.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xe000;
}
