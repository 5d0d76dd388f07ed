import { setImmediate as turn } from 'node:timers/promises';
import type { Json, JsonObject } from '@tidegate/schema';

/** A field of a Protobuf message; undefined fields are left out. */
export type Field = Buffer | undefined;

/** The fields of a message, one after the other. */
export function message(...fields: readonly Field[]): Buffer {
  return Buffer.concat(fields.filter((field) => field !== undefined));
}

/** A field that holds bytes: a message, or a text. */
export function bytes(number: number, content: Buffer): Buffer {
  return Buffer.concat([varint((number << 3) | 2), varint(content.length), content]);
}

export function text(number: number, content: unknown): Field {
  return typeof content === 'string' && content !== '' ? bytes(number, Buffer.from(content)) : undefined;
}

export function texts(number: number, contents: readonly unknown[] = []): Field {
  return contents.length === 0 ? undefined : message(...contents.map((content) => text(number, content)));
}

export function flag(number: number, on: unknown): Field {
  return on === true ? Buffer.concat([varint(number << 3), varint(1)]) : undefined;
}

/** A number with a point, where it is one. */
export function number(field: number, value: unknown): Field {
  if (typeof value !== 'number') return undefined;
  const content = Buffer.alloc(8);
  content.writeDoubleLE(value);
  return Buffer.concat([varint((field << 3) | 1), content]);
}

/** A count. */
export function whole(field: number, value: unknown): Field {
  return typeof value === 'number' && value >= 0 ? Buffer.concat([varint(field << 3), varint(value)]) : undefined;
}

/** A map: a message with a name and a value for each entry. */
export function named(number: number, map: Json | undefined, write: (value: JsonObject) => Buffer): Field[] {
  return Object.entries((map ?? {}) as JsonObject).map(([name, value]) =>
    entry(number, name, write(value as JsonObject)),
  );
}

const ENTRIES_AT_ONCE = 40;

/** The same for a large map: other requests get their turn in between. */
export async function namedInTurns(
  number: number,
  map: Json | undefined,
  write: (value: JsonObject) => Buffer,
): Promise<Field[]> {
  const fields: Field[] = [];
  for (const [name, value] of Object.entries((map ?? {}) as JsonObject)) {
    fields.push(entry(number, name, write(value as JsonObject)));
    if (fields.length % ENTRIES_AT_ONCE === 0) await turn();
  }
  return fields;
}

function entry(number: number, name: string, value: Buffer): Buffer {
  return bytes(number, message(text(1, name), bytes(2, value)));
}

/** Any JSON: it travels as YAML, which JSON is. */
export function any(value: Json): Buffer {
  return message(text(2, `${JSON.stringify(value)}\n`));
}

function varint(value: number): Buffer {
  const parts: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) parts.push((rest % 0x80) | 0x80);
  parts.push(rest);
  return Buffer.from(parts);
}
