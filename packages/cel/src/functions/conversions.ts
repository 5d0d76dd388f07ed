import { Failure } from '../values/failure.ts';
import { Duration, isMoment, parseDuration, parseTimestamp, Timestamp, wallClock } from '../values/time.ts';
import { type ListValue, type MapValue, Uint, type Value } from '../values/value.ts';
import { textSize } from './characters.ts';
import { doubleText } from './double-text.ts';
import { type Overload, overload } from './overload.ts';

const RANGE = 'integer overflow';
const MAX_INT = 2n ** 63n;
const MAX_UINT = 2n ** 64n;

function toInt(value: number): bigint {
  if (!(value > -(2 ** 63) && value < 2 ** 63)) throw new Failure(RANGE);
  return BigInt(Math.trunc(value));
}

function toUint(value: bigint): Uint {
  if (value < 0n || value >= MAX_UINT) throw new Failure('unsigned integer overflow');
  return new Uint(value);
}

function doubleToUint([value]: [number]): Uint {
  if (!(value >= 0 && value < 2 ** 64)) throw new Failure('unsigned integer overflow');
  return new Uint(BigInt(Math.trunc(value)));
}

function conversion(from: string, to: string): Failure {
  return new Failure(`type conversion error from '${from}' to '${to}'`);
}

/** Longer texts are not 64-bit numbers, unless they begin with zeros. */
const MAX_NUMBER_LENGTH = 100;

function parseInteger(text: string, least: bigint, most: bigint): bigint {
  const pattern = least === 0n ? /^\d+$/ : /^[+-]?\d+$/;
  const value = text.length < MAX_NUMBER_LENGTH && pattern.test(text) ? BigInt(text.replace(/^\+/, '')) : most;
  if (value < least || value >= most) throw conversion('string', least === 0n ? 'uint' : 'int');
  return value;
}

function parseDouble([text]: [string]): number {
  const isNumber = /^[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)$/.test(text);
  if (isNumber) return Number(text);
  const word = /^([+-]?)(nan|inf|infinity)$/i.exec(text);
  if (word === null) throw conversion('string', 'double');
  if (word[2]?.toLowerCase() === 'nan') return Number.NaN;
  return word[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

function parseBool([text]: [string]): boolean {
  if (TRUE.has(text)) return true;
  if (FALSE.has(text)) return false;
  throw conversion('string', 'bool');
}

function decode([bytes]: [Uint8Array]): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw new Failure('invalid UTF-8 in bytes, cannot convert to string');
    throw error;
  }
}

function toDuration([text]: [string]): Duration {
  const duration = parseDuration(text);
  if (duration === undefined) throw conversion('string', 'google.protobuf.Duration');
  return duration;
}

function toTimestamp([text]: [string]): Timestamp {
  const timestamp = parseTimestamp(text);
  if (timestamp === undefined) throw conversion('string', 'google.protobuf.Timestamp');
  return timestamp;
}

function momentOf([seconds]: [bigint]): Timestamp {
  const nanos = seconds * 1_000_000_000n;
  if (!isMoment(nanos)) throw new Failure('timestamp overflow');
  return new Timestamp(nanos);
}

const same = ([value]: [Value]): Value => value;
function sized<T>(word: string, type: string, size: (value: T) => number): Overload[] {
  const run = ([value]: [Value]) => BigInt(size(value as T));
  return [overload(`size_${word}`, `size(${type}): int`, run), overload(`${word}_size`, `${type}::size(): int`, run)];
}

const sizes: Overload[] = [
  ...sized<Uint8Array>('bytes', 'bytes', (bytes) => bytes.length),
  ...sized<ListValue>('list', 'list(A)', (list) => list.size),
  ...sized<MapValue>('map', 'map(A, B)', (map) => map.size),
  ...sized<string>('string', 'string', textSize),
];

type Clock = readonly [word: string, id: string, read: (date: Date) => number];

const CLOCK: readonly Clock[] = [
  ['getFullYear', 'year', (date) => date.getUTCFullYear()],
  ['getMonth', 'month', (date) => date.getUTCMonth()],
  ['getDayOfYear', 'day_of_year', dayOfYear],
  ['getDayOfMonth', 'day_of_month', (date) => date.getUTCDate() - 1],
  ['getDate', 'day_of_month_1_based', (date) => date.getUTCDate()],
  ['getDayOfWeek', 'day_of_week', (date) => date.getUTCDay()],
  ['getHours', 'hours', (date) => date.getUTCHours()],
  ['getMinutes', 'minutes', (date) => date.getUTCMinutes()],
  ['getSeconds', 'seconds', (date) => date.getUTCSeconds()],
  ['getMilliseconds', 'milliseconds', (date) => date.getUTCMilliseconds()],
];

function dayOfYear(date: Date): number {
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000);
}

function clockOf([word, id, read]: Clock): Overload[] {
  const at = (time: Timestamp, zone: string): bigint => {
    const date = wallClock(time, zone);
    if (date === undefined) throw new Failure(`unknown time zone ${zone}`);
    return BigInt(read(date));
  };
  return [
    overload(`timestamp_to_${id}`, `timestamp::${word}(): int`, ([time]: [Timestamp]) => at(time, 'UTC')),
    overload(`timestamp_to_${id}_with_tz`, `timestamp::${word}(string): int`, ([time, zone]: [Timestamp, string]) =>
      at(time, zone),
    ),
  ];
}

function part(word: string, id: string, nanos: bigint): Overload {
  return overload(`duration_to_${id}`, `duration::${word}(): int`, ([span]: [Duration]) => span.nanos / nanos);
}

const clocks: Overload[] = [
  ...CLOCK.flatMap(clockOf),
  part('getHours', 'hours', 3_600_000_000_000n),
  part('getMinutes', 'minutes', 60_000_000_000n),
  part('getSeconds', 'seconds', 1_000_000_000n),
  part('getMilliseconds', 'milliseconds', 1_000_000n),
];

export const conversions: readonly Overload[] = [
  ...sizes,
  overload('bool_to_bool', 'bool(bool): bool', same),
  overload('string_to_bool', 'bool(string): bool', parseBool),
  overload('bytes_to_bytes', 'bytes(bytes): bytes', same),
  overload('string_to_bytes', 'bytes(string): bytes', ([text]: [string]) => new Uint8Array(Buffer.from(text))),
  overload('double_to_double', 'double(double): double', same),
  overload('int64_to_double', 'double(int): double', ([value]: [bigint]) => Number(value)),
  overload('string_to_double', 'double(string): double', parseDouble),
  overload('uint64_to_double', 'double(uint): double', ([value]: [Uint]) => Number(value.value)),
  overload('duration_to_duration', 'duration(duration): duration', same),
  overload('int64_to_duration', 'duration(int): duration', ([value]: [bigint]) => new Duration(value)),
  overload('string_to_duration', 'duration(string): duration', toDuration),
  overload('int64_to_int64', 'int(int): int', same),
  overload('double_to_int64', 'int(double): int', ([value]: [number]) => toInt(value)),
  overload('duration_to_int64', 'int(duration): int', ([span]: [Duration]) => span.nanos),
  overload('string_to_int64', 'int(string): int', ([text]: [string]) => parseInteger(text, -MAX_INT, MAX_INT)),
  overload('timestamp_to_int64', 'int(timestamp): int', ([time]: [Timestamp]) => time.seconds),
  overload('uint64_to_int64', 'int(uint): int', ([{ value }]: [Uint]) => {
    if (value >= MAX_INT) throw new Failure(RANGE);
    return value;
  }),
  overload('string_to_string', 'string(string): string', same),
  overload('bool_to_string', 'string(bool): string', ([value]: [boolean]) => String(value)),
  overload('bytes_to_string', 'string(bytes): string', decode),
  overload('double_to_string', 'string(double): string', ([value]: [number]) => doubleText(value)),
  overload('duration_to_string', 'string(duration): string', ([value]: [Duration]) => value.toString()),
  overload('int64_to_string', 'string(int): string', ([value]: [bigint]) => String(value)),
  overload('timestamp_to_string', 'string(timestamp): string', ([value]: [Timestamp]) => value.toString()),
  overload('uint64_to_string', 'string(uint): string', ([value]: [Uint]) => String(value.value)),
  overload('timestamp_to_timestamp', 'timestamp(timestamp): timestamp', same),
  overload('int64_to_timestamp', 'timestamp(int): timestamp', momentOf),
  overload('string_to_timestamp', 'timestamp(string): timestamp', toTimestamp),
  overload('uint64_to_uint64', 'uint(uint): uint', same),
  overload('double_to_uint64', 'uint(double): uint', doubleToUint),
  overload('int64_to_uint64', 'uint(int): uint', ([value]: [bigint]) => toUint(value)),
  overload('string_to_uint64', 'uint(string): uint', ([text]: [string]) => new Uint(parseInteger(text, 0n, MAX_UINT))),
  ...clocks,
];
