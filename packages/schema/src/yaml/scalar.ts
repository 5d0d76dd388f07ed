import { fits64Bits, fitsInt64, narrow, wholeNumber } from '../json/whole-number.ts';
import { YamlError } from './yaml-error.ts';

const PREFIX = 'tag:yaml.org,2002:';
export const MERGE_TAG = `${PREFIX}merge`;
const STRING_TAG = `${PREFIX}str`;
const BINARY_TAG = `${PREFIX}binary`;
const FLOAT_TAG = `${PREFIX}float`;
const INT_TAG = `${PREFIX}int`;
const BOOL_TAG = `${PREFIX}bool`;
const NULL_TAG = `${PREFIX}null`;
const TIMESTAMP_TAG = `${PREFIX}timestamp`;

export type ScalarValue = string | number | bigint | boolean | null;

/** A scalar as goyaml understands it. Whole numbers and floats are told apart, because keys print them differently. */
export interface ResolvedScalar {
  readonly tag: string;
  readonly value: ScalarValue;
}

const words = new Map<string, ResolvedScalar>();
const say = (tag: string, value: ScalarValue, ...spellings: string[]) => {
  for (const spelling of spellings) words.set(spelling, { tag, value });
};
say(BOOL_TAG, true, 'y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON');
say(BOOL_TAG, false, 'n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF');
say(NULL_TAG, null, '', '~', 'null', 'Null', 'NULL');
say(FLOAT_TAG, Number.NaN, '.nan', '.NaN', '.NAN');
say(FLOAT_TAG, Number.POSITIVE_INFINITY, '.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF');
say(FLOAT_TAG, Number.NEGATIVE_INFINITY, '-.inf', '-.Inf', '-.INF');
say(MERGE_TAG, '<<', '<<');

const RESOLVABLE = new Set([BOOL_TAG, INT_TAG, FLOAT_TAG, NULL_TAG, TIMESTAMP_TAG, STRING_TAG, BINARY_TAG, MERGE_TAG]);

/** What a plain scalar stands for where it has no tag, and any scalar where it has one. */
export function resolveScalar(text: string, tag: string): ResolvedScalar {
  // a tag of somebody's own says nothing about the value
  if (tag === STRING_TAG || (tag !== '' && !RESOLVABLE.has(tag))) return { tag: STRING_TAG, value: text };
  if (tag === BINARY_TAG) return { tag: STRING_TAG, value: binary(text) };
  const found = words.get(text) ?? numberOf(text);
  if (tag === '' || tag === found.tag) return found;
  if (tag === FLOAT_TAG && found.tag === INT_TAG) return { tag: FLOAT_TAG, value: Number(found.value) };
  if (tag === TIMESTAMP_TAG && isTimestamp(text)) return { tag: STRING_TAG, value: text };
  if (tag === MERGE_TAG) return { tag: STRING_TAG, value: text };
  throw new YamlError(
    `cannot decode ${shortTag(found.tag)} ${JSON.stringify(text.slice(0, 40))} as a ${shortTag(tag)}`,
  );
}

/** Without quotes and without a tag it stands for itself. */
export function isPlainText(text: string): boolean {
  return resolveScalar(text, '').tag === STRING_TAG;
}

function shortTag(tag: string): string {
  return tag.replace(PREFIX, '!!');
}

const NUMBER_START = /^[-+.0-9]/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
/** Where a point comes first, underscores stand between digits only. */
const POINT_FIRST = /^\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?$/;

/** Underscores may stand anywhere in a number but in its first place. */
function numberOf(text: string): ResolvedScalar {
  const string = { tag: STRING_TAG, value: text };
  if (!NUMBER_START.test(text) || (text[0] === '.' && !POINT_FIRST.test(text))) return string;
  const plain = text.replaceAll('_', '');
  const whole = wholeNumberOf(plain);
  if (whole !== undefined) return { tag: INT_TAG, value: whole };
  if (!FLOAT.test(plain)) return string;
  // a whole number that does not fit into 64 bits keeps its digits: the field says what becomes of it
  const value = /^[-+]?[1-9][0-9]*$/.test(plain) ? wholeNumber(plain.replace('+', '')) : Number(plain);
  if (typeof value === 'bigint') return { tag: INT_TAG, value };
  return Number.isFinite(value) ? { tag: FLOAT_TAG, value } : string;
}

const WHOLE = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/;

/** Go's own forms of whole numbers, of which 64 bits hold: a leading 0 is octal, and 08 is no whole number. */
function wholeNumberOf(plain: string): number | bigint | undefined {
  const [, sign = '', hexadecimal, dual, octal, decimal = ''] = WHOLE.exec(plain) ?? [];
  const digits =
    (hexadecimal !== undefined && `0x${hexadecimal}`) ||
    (dual !== undefined && `0b${dual}`) ||
    (octal !== undefined && `0o${octal}`) ||
    decimal;
  if (digits === '' || digits.length > MOST_DIGITS) return undefined;
  const value = sign === '-' ? -BigInt(digits) : BigInt(digits);
  // what has a sign is signed
  return (sign === '' ? fits64Bits(value) : fitsInt64(value)) ? narrow(value) : undefined;
}

/** Longer ones do not fit into 64 bits, unless they begin with zeros. */
const MOST_DIGITS = 128;

const TIMESTAMP =
  /^\d{4}-(\d{1,2})-(\d{1,2})(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?(?:Z|[-+]\d\d:\d\d)| (\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?)?$/;

function isTimestamp(text: string): boolean {
  const [year, month, day] = text.split(/[-Tt ]/, 3).map(Number);
  if (!TIMESTAMP.test(text)) return false;
  const date = new Date(Date.UTC(year as number, (month as number) - 1, day));
  return date.getUTCMonth() + 1 === month && date.getUTCDate() === day;
}

/** Bytes become text, as far as they are text. */
function binary(text: string): string {
  const dense = text.replaceAll(/[\r\n]/g, '');
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(dense)) {
    throw new YamlError('!!binary value contains invalid base64 data');
  }
  return Buffer.from(dense, 'base64').toString('utf8');
}

/** A key of JSON is a text: the one that stands for a key of another type. */
export function keyText({ tag, value }: ResolvedScalar): string {
  if (typeof value === 'string') return value;
  if (value === null) throw new YamlError('null is not supported as a key');
  if (typeof value === 'number' && tag === FLOAT_TAG) return floatKey(value);
  if (typeof value === 'bigint' && !fitsInt64(value)) {
    throw new YamlError(`the whole number ${value} is not supported as a key`);
  }
  return String(value);
}

/** As Go prints a number of 32 bits with `%g`: that is what Kubernetes makes of such a key. */
function floatKey(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  const single = Math.fround(value);
  if (!Number.isFinite(single)) return single > 0 ? '.inf' : '-.inf';
  if (single === 0) return Object.is(single, -0) ? '-0' : '0';
  let digits = 1;
  while (Math.fround(Number(single.toExponential(digits - 1))) !== single) digits++;
  const [mantissa = '', power = ''] = single.toExponential(digits - 1).split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < LEAST_EXPONENT) return single.toFixed(Math.max(0, digits - 1 - exponent));
  const places = String(Math.abs(exponent)).padStart(2, '0');
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${places}`;
}

/** From here on `%g` takes the form with an exponent. */
const LEAST_EXPONENT = 6;
