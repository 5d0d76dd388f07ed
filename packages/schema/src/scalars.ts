import { isJsonObject, type Json } from './json/json.ts';
import { fitsInt64 } from './json/whole-number.ts';
import { canonicalQuantity } from './quantity.ts';
import type { ScalarType } from './schema.ts';
import { canonicalTime } from './time.ts';

/** The value as it is stored, or the error: the Go type that was expected, or a whole message. */
export type Decoded =
  | { readonly value: Json }
  | { readonly wanted: string; readonly found?: string }
  | { readonly problem: string };

const INT32: readonly [number, number] = [-(2 ** 31), 2 ** 31 - 1];

/** Decodes a scalar exactly as Kubernetes does. */
export function decodeScalar(type: ScalarType, value: Json, written?: string): Decoded {
  switch (type) {
    case 'any':
    case 'raw':
      return { value };
    case 'bool':
      return typeof value === 'boolean' ? { value } : { wanted: 'bool' };
    case 'int32':
      return wholeNumber(value, 'int32', written);
    case 'int64':
      return wholeNumber(value, 'int64', written);
    case 'double':
      if (typeof value === 'bigint') return { value: Number(value) };
      return typeof value === 'number' ? { value } : { wanted: 'float64' };
    case 'bytes':
      return bytes(value);
    case 'quantity':
      return canonical(canonicalQuantity(typeof value === 'object' ? '' : (written ?? String(value))));
    case 'intOrString':
      return intOrString(value, written);
    case 'time':
    case 'microTime':
      if (typeof value !== 'string') return { problem: goValue(value, 'string') };
      return canonical(canonicalTime(value, type === 'time' ? 'seconds' : 'micros'));
    default:
      return typeof value === 'string' ? { value } : { wanted: 'string' };
  }
}

function canonical(result: string | { readonly problem: string }): Decoded {
  return typeof result === 'string' ? { value: result } : result;
}

function wholeNumber(value: Json, wanted: 'int32' | 'int64', written: string | undefined): Decoded {
  if (typeof value !== 'number' && typeof value !== 'bigint') return { wanted };
  if (written === undefined && (wanted === 'int32' ? isInt32(value) : isWhole(value))) return { value };
  return { wanted, found: `number ${written ?? printNumber(value)}` };
}

function isInt32(value: Json): boolean {
  const [least, most] = INT32;
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
}

function isWhole(value: number | bigint): boolean {
  return typeof value === 'bigint' ? fitsInt64(value) : Number.isSafeInteger(value);
}

function intOrString(value: Json, written: string | undefined): Decoded {
  if (typeof value === 'string') return { value };
  if (typeof value !== 'number' && typeof value !== 'bigint') return { problem: goValue(value, 'int32') };
  if (written === undefined && isInt32(value)) return { value };
  return { problem: `json: cannot unmarshal number ${written ?? printNumber(value)} into Go value of type int32` };
}

function goValue(value: Json, wanted: string): string {
  return `json: cannot unmarshal ${jsonType(value)} into Go value of type ${wanted}`;
}

function printNumber(value: number | bigint): string {
  return Number.isInteger(value) ? BigInt(value).toString() : String(value);
}

/** The name of a JSON type in Go's errors. */
export function jsonType(value: Json): string {
  if (Array.isArray(value)) return 'array';
  if (isJsonObject(value)) return 'object';
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'number';
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function bytes(value: Json): Decoded {
  if (typeof value !== 'string') return { wanted: '[]uint8' };
  const text = /[\r\n]/.test(value) ? value.replace(/[\r\n]/g, '') : value;
  if (text.length % 4 === 0 && BASE64.test(text)) return { value };
  const odd = text.search(/[^A-Za-z0-9+/]/);
  return { problem: `illegal base64 data at input byte ${odd < 0 ? text.length - (text.length % 4) : odd}` };
}
