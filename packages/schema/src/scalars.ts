import { isJsonObject, type Json } from './json.ts';
import { canonicalQuantity } from './quantity.ts';
import type { ScalarType } from './schema.ts';
import { canonicalTime } from './time.ts';

/** A value as it is kept, or what is wrong with it: Go's type that it is not, or a whole sentence. */
export type Decoded =
  | { readonly value: Json }
  | { readonly wanted: string; readonly found?: string }
  | { readonly problem: string };

const INT32: readonly [number, number] = [-(2 ** 31), 2 ** 31 - 1];
/** the largest numbers below 2^63 that a double can hold */
const INT64: readonly [number, number] = [-(2 ** 63), 2 ** 63 - 1024];

/** A scalar exactly as Kubernetes reads it. */
export function decodeScalar(type: ScalarType, value: Json): Decoded {
  switch (type) {
    case 'any':
    case 'raw':
      return { value };
    case 'bool':
      return typeof value === 'boolean' ? { value } : { wanted: 'bool' };
    case 'int32':
      return wholeNumber(value, INT32, 'int32');
    case 'int64':
      return wholeNumber(value, INT64, 'int64');
    case 'double':
      return typeof value === 'number' ? { value } : { wanted: 'float64' };
    case 'bytes':
      return bytes(value);
    case 'quantity':
      return canonical(canonicalQuantity(typeof value === 'object' ? '' : String(value)));
    case 'intOrString':
      return intOrString(value);
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

function wholeNumber(value: Json, [least, most]: readonly [number, number], wanted: string): Decoded {
  if (typeof value !== 'number') return { wanted };
  if (Number.isInteger(value) && value >= least && value <= most) return { value };
  return { wanted, found: `number ${printNumber(value)}` };
}

function intOrString(value: Json): Decoded {
  if (typeof value === 'string') return { value };
  const [least, most] = INT32;
  if (typeof value !== 'number') return { problem: goValue(value, 'int32') };
  if (Number.isInteger(value) && value >= least && value <= most) return { value };
  return { problem: `json: cannot unmarshal number ${printNumber(value)} into Go value of type int32` };
}

function goValue(value: Json, wanted: string): string {
  return `json: cannot unmarshal ${jsonType(value)} into Go value of type ${wanted}`;
}

function printNumber(value: number): string {
  return Number.isInteger(value) ? BigInt(value).toString() : String(value);
}

/** How Go calls what it found. */
export function jsonType(value: Json): string {
  if (Array.isArray(value)) return 'array';
  if (isJsonObject(value)) return 'object';
  if (value === null) return 'null';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function bytes(value: Json): Decoded {
  if (typeof value !== 'string') return { wanted: '[]uint8' };
  const text = /[\r\n]/.test(value) ? value.replace(/[\r\n]/g, '') : value;
  if (text.length % 4 === 0 && BASE64.test(text)) return { value };
  const odd = text.search(/[^A-Za-z0-9+/]/);
  return { problem: `illegal base64 data at input byte ${odd < 0 ? text.length - (text.length % 4) : odd}` };
}
