import { ArrayList } from '../values/collections.ts';
import { Failure } from '../values/failure.ts';
import type { Meter } from '../values/meter.ts';
import type { ListValue, Value } from '../values/value.ts';
import { characterAt, part, textSize, unitOf } from './characters.ts';
import { format } from './format.ts';
import { type Overload, overload } from './overload.ts';

function outOfRange(index: bigint): Failure {
  return new Failure(`index out of range: ${index}`);
}

function charAt([text, index]: [string, bigint], meter: Meter): string {
  if (index < 0n || index > textSize(text)) throw outOfRange(index);
  return part(text, { from: Number(index), to: Number(index) + 1, meter });
}

function found(text: string, unit: number, meter: Meter): bigint {
  return unit < 0 ? -1n : BigInt(characterAt(text, unit, meter));
}

function indexOf([text, wanted, from = 0n]: [string, string, bigint?], meter: Meter): bigint {
  if (wanted === '') return from;
  if (from < 0n) throw outOfRange(from);
  if (from >= textSize(text)) return -1n;
  return found(text, text.indexOf(wanted, unitOf(text, Number(from), meter)), meter);
}

function lastIndexOf([text, wanted, before]: [string, string, bigint?], meter: Meter): bigint {
  if (before === undefined) return found(text, text.lastIndexOf(wanted), meter);
  if (wanted === '') return before;
  if (before < 0n) throw outOfRange(before);
  if (before >= textSize(text)) return -1n;
  return found(text, text.lastIndexOf(wanted, unitOf(text, Number(before), meter)), meter);
}

function substring([text, from, to]: [string, bigint, bigint?], meter: Meter): string {
  const size = textSize(text);
  const end = to ?? BigInt(size);
  if (from < 0n || from > size) throw outOfRange(from);
  if (end < 0n || end > size) throw outOfRange(end);
  if (from > end) throw new Failure(`invalid substring range. start: ${from}, end: ${end}`);
  return part(text, { from: Number(from), to: Number(end), meter });
}

function replace([text, old, fresh, most = -1n]: [string, string, string, bigint?], meter: Meter): string {
  const limit = most < 0n ? Number.POSITIVE_INFINITY : Number(most);
  if (old === '') {
    const all = [...text];
    const count = Math.min(limit, all.length + 1);
    meter.write(text.length + count * fresh.length);
    return joinAround(all, fresh, count);
  }
  const parts = text.split(old);
  const count = Math.min(limit, parts.length - 1);
  meter.write(text.length + count * fresh.length);
  return [parts.slice(0, count + 1).join(fresh), ...parts.slice(count + 1)].join(old);
}

/** Inserts a text before every character and at the end, at most `most` times. */
function joinAround(all: readonly string[], fresh: string, most: number): string {
  const before = all.map((character, i) => (i < most ? fresh + character : character)).join('');
  return all.length < most ? before + fresh : before;
}

function split([text, separator, most = -1n]: [string, string, bigint?]): ArrayList {
  if (most === 0n) return new ArrayList([]);
  const parts = separator === '' ? [...text] : text.split(separator);
  if (most < 0n || parts.length <= most) return new ArrayList(parts);
  const kept = parts.slice(0, Number(most) - 1);
  return new ArrayList([...kept, parts.slice(Number(most) - 1).join(separator)]);
}

function join([list, separator = '']: [ListValue, string?]): string {
  const texts: Value[] = [...list];
  if (!texts.every((text) => typeof text === 'string')) throw new Failure('no such overload');
  return texts.join(separator);
}

const BLANK = '\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const EDGES = new RegExp(`^[${BLANK}]+|[${BLANK}]+$`, 'g');

const ESCAPED: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

function quote([text]: [string]): string {
  return `"${[...text.toWellFormed()].map((character) => ESCAPED[character] ?? character).join('')}"`;
}

const lower = ([text]: [string]) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
const upper = ([text]: [string]) => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());

type Searched = (args: [string, string, bigint], meter: Meter) => bigint;

export const strings: readonly Overload[] = [
  overload('contains_string', 'string::contains(string): bool', ([a, b]: [string, string]) => a.includes(b)),
  overload('ends_with_string', 'string::endsWith(string): bool', ([a, b]: [string, string]) => a.endsWith(b)),
  overload('starts_with_string', 'string::startsWith(string): bool', ([a, b]: [string, string]) => a.startsWith(b)),
  overload('string_char_at_int', 'string::charAt(int): string', charAt),
  overload(
    'string_index_of_string',
    'string::indexOf(string): int',
    indexOf as (args: [string, string], meter: Meter) => bigint,
  ),
  overload('string_index_of_string_int', 'string::indexOf(string, int): int', indexOf as Searched),
  overload(
    'string_last_index_of_string',
    'string::lastIndexOf(string): int',
    lastIndexOf as (args: [string, string], meter: Meter) => bigint,
  ),
  overload('string_last_index_of_string_int', 'string::lastIndexOf(string, int): int', lastIndexOf as Searched),
  overload('string_lower_ascii', 'string::lowerAscii(): string', lower),
  overload('string_upper_ascii', 'string::upperAscii(): string', upper),
  overload(
    'string_replace_string_string',
    'string::replace(string, string): string',
    replace as (args: [string, string, string], meter: Meter) => string,
  ),
  overload(
    'string_replace_string_string_int',
    'string::replace(string, string, int): string',
    replace as (args: [string, string, string, bigint], meter: Meter) => string,
  ),
  overload(
    'string_split_string',
    'string::split(string): list(string)',
    split as (args: [string, string], meter: Meter) => ArrayList,
  ),
  overload(
    'string_split_string_int',
    'string::split(string, int): list(string)',
    split as (args: [string, string, bigint], meter: Meter) => ArrayList,
  ),
  overload(
    'string_substring_int',
    'string::substring(int): string',
    substring as (args: [string, bigint], meter: Meter) => string,
  ),
  overload(
    'string_substring_int_int',
    'string::substring(int, int): string',
    substring as (args: [string, bigint, bigint], meter: Meter) => string,
  ),
  overload('string_trim', 'string::trim(): string', ([text]: [string]) => text.replace(EDGES, '')),
  overload('string_format', 'string::format(list(dyn)): string', ([text, values]: [string, ListValue], meter) =>
    format(text, values, meter),
  ),
  overload('strings_quote', 'strings.quote(string): string', quote),
  overload('list_join', 'list(string)::join(): string', join as (args: [ListValue], meter: Meter) => string),
  overload(
    'list_join_string',
    'list(string)::join(string): string',
    join as (args: [ListValue, string], meter: Meter) => string,
  ),
];
