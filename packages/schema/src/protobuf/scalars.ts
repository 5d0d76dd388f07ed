import type { Json } from '../json/json.ts';
import type { ScalarType } from '../schema.ts';
import type { ReverseWriter } from './reverse-writer.ts';

/** Scalars that are messages in Protobuf. */
export type MessageScalar = 'quantity' | 'intOrString' | 'time' | 'microTime' | 'duration' | 'raw';

export function isMessageScalar(type: ScalarType): type is MessageScalar {
  return Object.hasOwn(WRITERS, type);
}

/** Writes the message without tag and length, as Go does: also empty strings and zeros. */
export function writeMessageScalar(writer: ReverseWriter, type: MessageScalar, value: Json): void {
  WRITERS[type](writer, value);
}

const WRITERS: Readonly<Record<MessageScalar, (writer: ReverseWriter, value: Json) => void>> = {
  quantity: (writer, value) => textField(writer, 1, String(value)),
  intOrString: (writer, value) => {
    const isText = typeof value === 'string';
    textField(writer, 3, isText ? value : '');
    numberField(writer, 2, isText ? 0 : Number(value));
    numberField(writer, 1, isText ? 1 : 0);
  },
  time: (writer, value) => writeTime(writer, value, 0),
  microTime: (writer, value) => writeTime(writer, value, 1000),
  duration: (writer, value) => numberField(writer, 1, nanoseconds(String(value))),
  raw: (writer, value) => {
    const before = writer.length;
    writer.text(JSON.stringify(value));
    writer.delimit(1, before);
  },
};

export function textField(writer: ReverseWriter, number: number, text: string): void {
  const before = writer.length;
  writer.text(text);
  writer.delimit(number, before);
}

export function numberField(writer: ReverseWriter, number: number, value: number | bigint): void {
  writer.varint(value);
  writer.tag(number, 0);
}

/** @param unit the precision in nanoseconds; 0 drops fractions of a second. No time is an empty message. */
function writeTime(writer: ReverseWriter, value: Json, unit: number): void {
  if (typeof value !== 'string') return;
  const milliseconds = Date.parse(value);
  if (Number.isNaN(milliseconds)) return;
  const fraction = /\.(\d{1,9})/.exec(value)?.[1] ?? '';
  const nanos = unit === 0 ? 0 : Math.floor(Number(fraction.padEnd(9, '0')) / unit) * unit;
  numberField(writer, 2, nanos);
  numberField(writer, 1, Math.floor(milliseconds / 1000));
}

const UNITS: Readonly<Record<string, number>> = {
  h: 3.6e12,
  m: 6e10,
  s: 1e9,
  ms: 1e6,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ns: 1,
};

/** `1h2m3.5s` in nanoseconds. */
function nanoseconds(text: string): number {
  let sum = 0;
  for (const [, number, unit = ''] of text.matchAll(/([\d.]+)(h|ms|us|µs|μs|ns|m|s)/g)) {
    sum += Number(number) * (UNITS[unit] ?? 0);
  }
  return Math.round(text.startsWith('-') ? -sum : sum);
}
