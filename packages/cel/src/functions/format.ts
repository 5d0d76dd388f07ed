import { Failure } from '../values/failure.ts';
import type { Meter } from '../values/meter.ts';
import { Duration, Timestamp } from '../values/time.ts';
import { typeNameOf } from '../values/type-name.ts';
import { ListValue, MapValue, TypeValue, Uint, type Value } from '../values/value.ts';
import { type Clause, clausesOf, UNFIT } from './clauses.ts';
import { doubleText } from './double-text.ts';

/** `"%s is %d".format(["a", 1])` */
export function format(text: string, values: ListValue, meter: Meter): string {
  let next = 0;
  const take = (clause: Clause): string => {
    const value = values.at(next++);
    const written = WRITERS[clause.verb]?.(value, { clause, meter });
    if (written !== undefined) return written;
    throw new Failure(`error during formatting: ${UNFIT[clause.verb]}, was given ${typeNameOf(value)}`);
  };
  const parts = clausesOf(text, values.size);
  if ('problem' in parts) throw new Failure(parts.problem);
  return parts.parts.map((part) => (typeof part === 'string' ? part : take(part))).join('');
}

interface Writing {
  readonly clause: Clause;
  readonly meter: Meter;
}

/** Returns undefined if the clause does not support the type of the value. */
type Writer = (value: Value, writing: Writing) => string | undefined;

const WRITERS: Readonly<Record<Clause['verb'], Writer>> = {
  s: (value, { meter }) => plain(value, meter),
  d: whole,
  f: (value, { clause }) => fixed(doubleOf(value), clause.precision),
  e: (value) => scientific(doubleOf(value)),
  b: (value) => (typeof value === 'boolean' ? String(Number(value)) : based(value, 2)),
  o: (value) => based(value, 8),
  x: hexadecimal,
  X: (value) => hexadecimal(value)?.toUpperCase(),
};

function whole(value: Value): string | undefined {
  if (typeof value === 'bigint') return String(value);
  return value instanceof Uint ? String(value.value) : undefined;
}

const WORDS: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
};

function doubleOf(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && Object.hasOwn(WORDS, value) ? WORDS[value] : undefined;
}

function special(value: number): string | undefined {
  if (Number.isNaN(value)) return 'NaN';
  return Number.isFinite(value) ? undefined : value > 0 ? '∞' : '-∞';
}

/** With thousands separators, as in the English locale. */
function fixed(value: number | undefined, precision: number): string | undefined {
  if (value === undefined) return undefined;
  const found = special(value);
  if (found !== undefined) return found;
  const text = Math.abs(value) < 1e21 ? value.toFixed(precision) : `${BigInt(value)}${`.${'0'.repeat(precision)}`}`;
  const [integer = '', fraction] = text.split('.');
  const grouped = integer.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return fraction === undefined || precision === 0 ? grouped : `${grouped}.${fraction}`;
}

const SMALL_DIGITS = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const SCIENTIFIC_DIGITS = 6;

/** `1.234500×10⁰³` */
function scientific(value: number | undefined): string | undefined {
  if (value === undefined) return undefined;
  const found = special(value);
  if (found !== undefined) return found;
  const [digits = '', power = ''] = value.toExponential(SCIENTIFIC_DIGITS).split('e');
  const small = power.replace(/\D/g, '').padStart(2, '0');
  const raised = [...small].map((digit) => SMALL_DIGITS[Number(digit)]).join('');
  return `${digits}×10${power.startsWith('-') ? '⁻' : ''}${raised}`;
}

function based(value: Value, base: number): string | undefined {
  if (typeof value === 'bigint') return value.toString(base);
  return value instanceof Uint ? value.value.toString(base) : undefined;
}

function hexadecimal(value: Value): string | undefined {
  if (typeof value === 'string') return Buffer.from(value).toString('hex');
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : based(value, 16);
}

/** Printing a value takes this many times as long as reading it. */
const PRINTING = 8;

/** A value as `%s` prints it. */
function plain(value: Value, meter: Meter): string | undefined {
  meter.step(PRINTING);
  if (typeof value === 'string') {
    meter.write(value.length);
    return value;
  }
  if (typeof value === 'number') return doubleText(value);
  if (typeof value !== 'object') return String(value);
  if (value === null) return 'null';
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) {
    meter.write(value.length);
    return Buffer.from(value).toString();
  }
  if (value instanceof Duration || value instanceof Timestamp) return value.toString();
  if (value instanceof TypeValue) return value.name;
  if (value instanceof ListValue) return `[${[...value].map((item) => within(item, meter)).join(', ')}]`;
  if (!(value instanceof MapValue)) return undefined;
  const entries = value.keys().map((key) => `${within(key, meter)}:${within(value.get(key) as Value, meter)}`);
  return `{${entries.sort().join(', ')}}`;
}

const MAX_DIGITS = 6;

/** A value inside a list or map, in the syntax of expressions. */
function within(value: Value, meter: Meter): string {
  if (typeof value === 'string') {
    meter.write(value.length);
    return JSON.stringify(value);
  }
  if (typeof value === 'number') return special(value) ?? value.toFixed(MAX_DIGITS);
  if (value instanceof Uint8Array) {
    meter.write(value.length);
    return `b${JSON.stringify(Buffer.from(value).toString())}`;
  }
  if (value instanceof Timestamp) return `timestamp("${value}")`;
  if (value instanceof Duration) return `duration("${value}")`;
  const text = plain(value, meter);
  if (text === undefined) throw new Failure(`error during formatting: no formatting function for ${typeNameOf(value)}`);
  return text;
}
