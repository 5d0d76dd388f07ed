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

/** A scalar as goyaml resolves it. Integers and floats are distinct, because as keys they are printed differently. */
export interface ResolvedScalar {
  readonly tag: string;
  readonly value: ScalarValue;
}

const words = new Map<string, ResolvedScalar>();
const define = (tag: string, value: ScalarValue, ...spellings: string[]) => {
  for (const spelling of spellings) words.set(spelling, { tag, value });
};
define(BOOL_TAG, true, 'y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON');
define(BOOL_TAG, false, 'n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF');
define(NULL_TAG, null, '', '~', 'null', 'Null', 'NULL');
define(FLOAT_TAG, Number.NaN, '.nan', '.NaN', '.NAN');
define(FLOAT_TAG, Number.POSITIVE_INFINITY, '.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF');
define(FLOAT_TAG, Number.NEGATIVE_INFINITY, '-.inf', '-.Inf', '-.INF');
define(MERGE_TAG, '<<', '<<');

const RESOLVABLE = new Set([BOOL_TAG, INT_TAG, FLOAT_TAG, NULL_TAG, TIMESTAMP_TAG, STRING_TAG, BINARY_TAG, MERGE_TAG]);

/** The value of a plain scalar without a tag, or of any scalar with one. */
export function resolveScalar(text: string, tag: string): ResolvedScalar {
  // a custom tag does not change the value
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

/** Whether the text is read as a string without quotes. */
export function isPlainText(text: string): boolean {
  return resolveScalar(text, '').tag === STRING_TAG;
}

function shortTag(tag: string): string {
  return tag.replace(PREFIX, '!!');
}

const NUMBER_START = /^[-+.0-9]/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
/** A number that begins with a decimal point may only have underscores between digits. */
const POINT_FIRST = /^\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?$/;

/** Underscores are allowed anywhere in a number except at its start. */
function numberOf(text: string): ResolvedScalar {
  const string = { tag: STRING_TAG, value: text };
  if (!NUMBER_START.test(text) || (text[0] === '.' && !POINT_FIRST.test(text))) return string;
  const plain = text.replaceAll('_', '');
  const whole = wholeNumberOf(plain);
  if (whole !== undefined) return { tag: INT_TAG, value: whole };
  if (!FLOAT.test(plain)) return string;
  // an integer that does not fit into 64 bits keeps its digits; the type of its field decides
  const value = /^[-+]?[1-9][0-9]*$/.test(plain) ? wholeNumber(plain.replace('+', '')) : Number(plain);
  if (typeof value === 'bigint') return { tag: INT_TAG, value };
  return Number.isFinite(value) ? { tag: FLOAT_TAG, value } : string;
}

const WHOLE = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/;

/** Integers in Go's syntax that fit into 64 bits: a leading 0 means octal, and 08 is not an integer. */
function wholeNumberOf(plain: string): number | bigint | undefined {
  const [, sign = '', hexadecimal, dual, octal, decimal = ''] = WHOLE.exec(plain) ?? [];
  const digits =
    (hexadecimal !== undefined && `0x${hexadecimal}`) ||
    (dual !== undefined && `0b${dual}`) ||
    (octal !== undefined && `0o${octal}`) ||
    decimal;
  if (digits === '' || digits.length > MAX_DIGITS) return undefined;
  const value = sign === '-' ? -BigInt(digits) : BigInt(digits);
  // a number with a sign must fit into a signed integer
  return (sign === '' ? fits64Bits(value) : fitsInt64(value)) ? narrow(value) : undefined;
}

/** Longer ones do not fit into 64 bits, unless they begin with zeros. */
const MAX_DIGITS = 128;

const TIMESTAMP =
  /^\d{4}-(\d{1,2})-(\d{1,2})(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?(?:Z|[-+]\d\d:\d\d)| (\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?)?$/;

function isTimestamp(text: string): boolean {
  const [year, month, day] = text.split(/[-Tt ]/, 3).map(Number);
  if (!TIMESTAMP.test(text)) return false;
  const date = new Date(Date.UTC(year as number, (month as number) - 1, day));
  return date.getUTCMonth() + 1 === month && date.getUTCDate() === day;
}

/** Decodes bytes to text; invalid UTF-8 is replaced. */
function binary(text: string): string {
  const dense = text.replaceAll(/[\r\n]/g, '');
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(dense)) {
    throw new YamlError('!!binary value contains invalid base64 data');
  }
  return Buffer.from(dense, 'base64').toString('utf8');
}

/** The JSON key for a key of any type. */
export function keyText({ tag, value }: ResolvedScalar): string {
  if (typeof value === 'string') return value;
  if (value === null) throw new YamlError('null is not supported as a key');
  if (typeof value === 'number' && tag === FLOAT_TAG) return floatKey(value);
  if (typeof value === 'bigint' && !fitsInt64(value)) {
    throw new YamlError(`the integer ${value} is not supported as a key`);
  }
  return String(value);
}

/** Prints a 32-bit float with Go's `%g`, as Kubernetes does for such a key. */
function floatKey(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  const single = Math.fround(value);
  if (!Number.isFinite(single)) return single > 0 ? '.inf' : '-.inf';
  if (single === 0) return Object.is(single, -0) ? '-0' : '0';
  let digits = 1;
  while (Math.fround(Number(single.toExponential(digits - 1))) !== single) digits++;
  const [mantissa = '', power = ''] = single.toExponential(digits - 1).split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < MIN_EXPONENT) return single.toFixed(Math.max(0, digits - 1 - exponent));
  const places = String(Math.abs(exponent)).padStart(2, '0');
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${places}`;
}

/** The least exponent that `%g` prints as an exponent. */
const MIN_EXPONENT = 6;
