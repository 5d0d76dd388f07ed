import { JoinedList } from '../values/collections.ts';
import { Failure } from '../values/failure.ts';
import { KeyedList } from '../values/keyed-list.ts';
import { Duration, isMoment, isSpan, Timestamp } from '../values/time.ts';
import { type ListValue, Uint, type Value } from '../values/value.ts';
import { type Overload, overload } from './overload.ts';

const OVERFLOW = 'integer overflow';

function int(value: bigint): bigint {
  if (BigInt.asIntN(64, value) !== value) throw new Failure(OVERFLOW);
  return value;
}

function uint(value: bigint): Uint {
  if (BigInt.asUintN(64, value) !== value) throw new Failure('unsigned integer overflow');
  return new Uint(value);
}

function span(nanos: bigint): Duration {
  if (!isSpan(nanos)) throw new Failure(OVERFLOW);
  return new Duration(nanos);
}

function later({ nanos, zoneMinutes }: Timestamp, by: bigint): Timestamp {
  if (!isMoment(nanos + by)) throw new Failure('timestamp overflow');
  return new Timestamp(nanos + by, zoneMinutes);
}

type Ints = [bigint, bigint];
type Uints = [Uint, Uint];
type Doubles = [number, number];

function ofInts(name: string, word: string, run: (a: bigint, b: bigint) => bigint): Overload[] {
  return [
    overload(`${word}_int64`, `${name}(int, int): int`, ([a, b]: Ints) => int(run(a, b))),
    overload(`${word}_uint64`, `${name}(uint, uint): uint`, ([a, b]: Uints) => uint(run(a.value, b.value))),
  ];
}

function divisor(value: bigint, words: string): bigint {
  if (value === 0n) throw new Failure(words);
  return value;
}

function joinBytes([a, b]: [Uint8Array, Uint8Array]): Uint8Array {
  return new Uint8Array(Buffer.concat([a, b]));
}

const durations: Overload[] = [
  overload('add_duration_duration', '_+_(duration, duration): duration', ([a, b]: [Duration, Duration]) =>
    span(a.nanos + b.nanos),
  ),
  overload('add_duration_timestamp', '_+_(duration, timestamp): timestamp', ([a, b]: [Duration, Timestamp]) =>
    later(b, a.nanos),
  ),
  overload('add_timestamp_duration', '_+_(timestamp, duration): timestamp', ([a, b]: [Timestamp, Duration]) =>
    later(a, b.nanos),
  ),
  overload('subtract_duration_duration', '_-_(duration, duration): duration', ([a, b]: [Duration, Duration]) =>
    span(a.nanos - b.nanos),
  ),
  overload('subtract_timestamp_duration', '_-_(timestamp, duration): timestamp', ([a, b]: [Timestamp, Duration]) =>
    later(a, -b.nanos),
  ),
  overload('subtract_timestamp_timestamp', '_-_(timestamp, timestamp): duration', ([a, b]: [Timestamp, Timestamp]) =>
    span(a.nanos - b.nanos),
  ),
];

export const arithmetic: readonly Overload[] = [
  overload('add_bytes', '_+_(bytes, bytes): bytes', joinBytes),
  overload('add_double', '_+_(double, double): double', ([a, b]: Doubles) => a + b),
  ...ofInts('_+_', 'add', (a, b) => a + b),
  overload('add_list', '_+_(list(A), list(A)): list(A)', ([a, b]: [ListValue, ListValue], meter) =>
    a instanceof KeyedList ? a.with(b, meter) : new JoinedList(a, b),
  ),
  overload('add_string', '_+_(string, string): string', ([a, b]: [string, string]) => a + b),
  overload('subtract_double', '_-_(double, double): double', ([a, b]: Doubles) => a - b),
  ...ofInts('_-_', 'subtract', (a, b) => a - b),
  ...durations,
  overload('multiply_double', '_*_(double, double): double', ([a, b]: Doubles) => a * b),
  ...ofInts('_*_', 'multiply', (a, b) => a * b),
  overload('divide_double', '_/_(double, double): double', ([a, b]: Doubles) => a / b),
  ...ofInts('_/_', 'divide', (a, b) => a / divisor(b, 'division by zero')),
  ...ofInts('_%_', 'modulo', (a, b) => a % divisor(b, 'modulus by zero')),
  overload('negate_double', '-_(double): double', ([a]: [number]) => -a),
  overload('negate_int64', '-_(int): int', ([a]: [bigint]) => int(-a)),
  overload('logical_not', '!_(bool): bool', ([a]: [boolean]) => !a),
  overload('to_dyn', 'dyn(A): dyn', ([a]: [Value]) => a),
];
