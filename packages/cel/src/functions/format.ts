import { Failure } from '../values/failure.ts';
import type { Meter } from '../values/meter.ts';
import { Duration, Timestamp } from '../values/time.ts';
import { typeNameOf } from '../values/type-name.ts';
import { ListValue, MapValue, TypeValue, Uint, type Value } from '../values/value.ts';
import { doubleText } from './double-text.ts';

const CLAUSE = /%(?:(%)|(?:\.(\d+))?([a-zA-Z]))/g;
const USUAL_PRECISION = 6;
const MOST_PRECISION = 1000;

/** `"%s is %d".format(["a", 1])` */
export function format(text: string, values: ListValue, meter: Meter): string {
  let next = 0;
  const rest = text.replace(CLAUSE, '');
  if (rest.includes('%'))
    throw new Failure(
      `could not parse formatting clause: unrecognized formatting clause "${rest.slice(rest.indexOf('%') + 1)[0] ?? ''}"`,
    );
  return text.replace(CLAUSE, (_clause, percent?: string, digits?: string, verb = '') => {
    if (percent !== undefined) return '%';
    if (next >= values.size) throw new Failure(`index ${next} out of range`);
    const precision = digits === undefined ? USUAL_PRECISION : Number(digits);
    if (precision > MOST_PRECISION)
      throw new Failure(`could not parse formatting clause: precision ${precision} is too large`);
    return written(values.at(next++), { verb, precision, meter });
  });
}

interface Clause {
  readonly verb: string;
  readonly precision: number;
  readonly meter: Meter;
}

function written(value: Value, { verb, precision, meter }: Clause): string {
  const wrong = (words: string): Failure =>
    new Failure(`error during formatting: ${words}, was given ${typeNameOf(value)}`);
  const special = doubleOf(value);
  const isWord = special !== undefined && !Number.isFinite(special);
  switch (verb) {
    case 's':
      return plain(value, meter);
    case 'd':
      if (isWord) return infinite(special);
      if (typeof value === 'bigint') return String(value);
      if (value instanceof Uint) return String(value.value);
      if (typeof value === 'number') return doubleText(value);
      throw wrong('decimal clause can only be used on numbers');
    case 'f':
      if (special === undefined) throw wrong('fixed-point clause can only be used on doubles');
      return isWord ? infinite(special) : special.toFixed(Math.min(precision, 100));
    case 'e':
      if (special === undefined) throw wrong('scientific clause can only be used on doubles');
      return isWord
        ? infinite(special)
        : special.toExponential(Math.min(precision, 100)).replace(/e([+-])(\d)$/, 'e$10$2');
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0';
      return based(value, 2) ?? fail(wrong('only integers and bools can be formatted as binary'));
    case 'o':
      return based(value, 8) ?? fail(wrong('octal clause can only be used on integers'));
    case 'x':
    case 'X': {
      const text =
        hexadecimal(value) ?? fail(wrong('only integers, byte buffers, and strings can be formatted as hex'));
      return verb === 'x' ? text : text.toUpperCase();
    }
    default:
      throw new Failure(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  }
}

function fail(error: Failure): never {
  throw error;
}

function doubleOf(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint) return Number(value.value);
  const words: Readonly<Record<string, number>> = {
    NaN: Number.NaN,
    Infinity: Number.POSITIVE_INFINITY,
    '-Infinity': Number.NEGATIVE_INFINITY,
  };
  return typeof value === 'string' && Object.hasOwn(words, value) ? words[value] : undefined;
}

function infinite(value: number): string {
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
}

function based(value: Value, base: number): string | undefined {
  if (typeof value === 'bigint') return value.toString(base);
  return value instanceof Uint ? value.value.toString(base) : undefined;
}

function hexadecimal(value: Value): string | undefined {
  if (typeof value === 'string') return Buffer.from(value).toString('hex');
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : based(value, 16);
}

/** A value as `%s` writes it. */
function plain(value: Value, meter: Meter): string {
  meter.step();
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? doubleText(value) : infinite(value);
  if (typeof value !== 'object') return String(value);
  if (value === null) return 'null';
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value instanceof Duration || value instanceof Timestamp) return value.toString();
  if (value instanceof TypeValue) return value.name;
  if (value instanceof ListValue) return `[${[...value].map((item) => plain(item, meter)).join(', ')}]`;
  if (value instanceof MapValue) {
    const entries = value.keys().map((key) => `${plain(key, meter)}: ${plain(value.get(key) as Value, meter)}`);
    return `{${entries.sort().join(', ')}}`;
  }
  throw new Failure(
    `error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ${typeNameOf(value)}`,
  );
}
