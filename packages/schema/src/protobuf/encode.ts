import type { Json, JsonObject } from '../json/json.ts';
import type { Schema } from '../schema.ts';
import { ReverseWriter } from './reverse-writer.ts';
import { isMessageScalar, numberField, textField, writeMessageScalar } from './scalars.ts';

/** Writes the bytes of one value. */
type WriteValue = (writer: ReverseWriter, value: Json) => void;
/** Writes one field of an object, or nothing if it is absent. */
type WriteField = (writer: ReverseWriter, object: JsonObject) => void;

/**
 * Encodes an object as Protobuf byte for byte as Go does: fields by number, keys of maps sorted, and strings, numbers
 * and messages that are not pointers also when they are empty.
 *
 * The functions for a type are built once, at its first use. A recursive type finds its own functions.
 */
export function encodeMessage(schema: Schema & { type: 'object' }, object: JsonObject): Buffer {
  shared.reset();
  messageOf(schema.fields)(shared, object);
  return shared.take();
}

/** Encodes the object as a field of another message, with tag and length. */
export function encodeField(number: number, schema: Schema & { type: 'object' }, object: JsonObject): Buffer {
  shared.reset();
  messageOf(schema.fields)(shared, object);
  shared.delimit(number, 0);
  return shared.take();
}

const shared = new ReverseWriter();

type WriteMessage = (writer: ReverseWriter, object: JsonObject) => void;
/** by the record of fields, which all references to a type share */
const messages = new WeakMap<Readonly<Record<string, Schema>>, WriteMessage>();

function messageOf(fields: Readonly<Record<string, Schema>>): WriteMessage {
  let message = messages.get(fields);
  if (message === undefined) {
    const writers = levelOf(Object.entries(fields), 0);
    message = (writer, object) => {
      for (const write of writers) write(writer, object);
    };
    messages.set(fields, message);
  }
  return message;
}

type Entry = [name: string, field: Schema];

/** The fields of one level, by descending number. Messages that exist in Protobuf only are levels of their own. */
function levelOf(entries: readonly Entry[], depth: number): WriteField[] {
  const here = new Map<number, Entry[]>();
  for (const entry of entries) {
    const [, { within = [], number }] = entry;
    const place = within[depth] ?? number;
    if (place === undefined) continue;
    const there = here.get(place);
    if (there === undefined) here.set(place, [entry]);
    else there.push(entry);
  }
  const numbers = [...here.keys()].sort((a, b) => b - a);
  return numbers.map((number) => {
    const found = here.get(number) as Entry[];
    const [first] = found as [Entry];
    return (first[1].within ?? [])[depth] === undefined ? fieldWriter(...first) : inlined(number, found, depth + 1);
  });
}

function inlined(number: number, entries: readonly Entry[], depth: number): WriteField {
  const writers = levelOf(entries, depth);
  return (writer, object) => {
    const before = writer.length;
    for (const write of writers) write(writer, object);
    writer.delimit(number, before);
  };
}

function fieldWriter(name: string, field: Schema): WriteField {
  const number = field.number as number;
  if (field.type === 'list' && !field.wrapped) return listWriter(name, number, field.items);
  if (field.type === 'map') return mapWriter(name, number, field.values);
  const write = tagged(field, number);
  const empty = emptyOf(field);
  return (writer, object) => {
    const value = object[name];
    if (value !== undefined && value !== null) write(writer, value);
    else if (empty !== undefined) write(writer, empty);
    // any JSON that is not a pointer is written as an empty message
    else if (field.type === 'raw' && !field.tracksPresence) writer.delimit(number, writer.length);
  };
}

/** What Go writes for an unset field that is not a pointer. */
function emptyOf(field: Schema): Json | undefined {
  if (field.tracksPresence) return undefined;
  switch (field.type) {
    case 'string':
      return '';
    case 'bool':
      return false;
    case 'int32':
    case 'int64':
    case 'double':
      return 0;
    case 'object':
      // a struct that is not a pointer is always written
      return isEmptyObject(field.default) ? {} : undefined;
    case 'quantity':
      return '0';
    case 'intOrString':
      return 0;
    case 'time':
    case 'microTime':
      // not a string, so an empty message is written
      return false;
    default:
      return undefined;
  }
}

function isEmptyObject(value: Json | undefined): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** Writes a value with its tag, and with its length if the wire type has one. */
function tagged(schema: Schema, number: number): WriteValue {
  switch (schema.type) {
    case 'string':
      return (writer, value) => textField(writer, number, String(value));
    case 'bool':
      return (writer, value) => numberField(writer, number, value === true ? 1 : 0);
    case 'int32':
    case 'int64':
      return (writer, value) => numberField(writer, number, typeof value === 'bigint' ? value : Number(value));
    case 'double':
      return (writer, value) => {
        writer.double(Number(value));
        writer.tag(number, 1);
      };
    case 'any':
      return () => {};
    default: {
      const write = contentOf(schema);
      return (writer, value) => {
        const before = writer.length;
        write(writer, value);
        writer.delimit(number, before);
      };
    }
  }
}

function contentOf(schema: Schema): WriteValue {
  switch (schema.type) {
    case 'object':
      return (writer, value) => messageOf(schema.fields)(writer, value as JsonObject);
    case 'bytes':
      return (writer, value) => writer.bytes(Buffer.from(String(value), 'base64'));
    case 'list': {
      const items = listWriter('items', 1, schema.items);
      return (writer, value) => items(writer, { items: value });
    }
    case 'union':
      return unionWriter(schema);
    default: {
      const { type } = schema;
      if (type !== 'map' && isMessageScalar(type)) return (writer, value) => writeMessageScalar(writer, type, value);
      throw new Error(`${type} has no form of its own in Protobuf`);
    }
  }
}

function listWriter(name: string, number: number, items: Schema): WriteField {
  const write = tagged(items, number);
  return (writer, object) => {
    const list = object[name];
    if (!Array.isArray(list)) return;
    for (let i = list.length - 1; i >= 0; i--) write(writer, list[i] as Json);
  };
}

function mapWriter(name: string, number: number, values: Schema): WriteField {
  const write = tagged(values, 2);
  return (writer, object) => {
    const map = object[name];
    if (typeof map !== 'object' || map === null) return;
    const keys = Object.keys(map);
    if (keys.length > 1) keys.sort().reverse();
    for (const key of keys) {
      const before = writer.length;
      write(writer, (map as JsonObject)[key] as Json);
      textField(writer, 1, key);
      writer.delimit(number, before);
    }
  };
}

/** Writes the member that fits the value. A boolean beside other members only says that a value exists. */
function unionWriter(union: Schema & { type: 'union' }): WriteValue {
  const members = [...union.members].sort((a, b) => (b.number as number) - (a.number as number));
  const writers = members.map((member) => ({ member, write: memberWriter(member) }));
  return (writer, value) => {
    for (const { member, write } of writers) {
      if (member.type === 'bool') write(writer, typeof value === 'boolean' ? value : true);
      else if (isOf(member, value)) write(writer, value);
    }
  };
}

function memberWriter(member: Schema): WriteValue {
  const number = member.number as number;
  if (member.type !== 'list') return tagged(member, number);
  const write = listWriter('items', number, member.items);
  return (writer, value) => write(writer, { items: value });
}

function isOf(member: Schema, value: Json): boolean {
  if (member.type === 'list') return Array.isArray(value);
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
