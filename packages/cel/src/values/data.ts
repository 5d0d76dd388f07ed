import { isDeepStrictEqual } from 'node:util';
import type { Shape } from '../types/type.ts';
import { Failure } from './failure.ts';
import { KeyedList } from './keyed-list.ts';
import { parseDate, parseDuration, parseTimestamp, parseWords } from './time.ts';
import { ListValue, MapValue, type Value } from './value.ts';

/** JSON data of objects in the API. */
export type Data = null | boolean | number | bigint | string | Data[] | DataObject;

export interface DataObject {
  [name: string]: Data;
}

/**
 * Wraps data as a value without copying: lists and objects are converted on access. The shape gives the type of strings
 * and numbers; without a shape they keep their JSON type.
 */
export function fromData(data: Data, shape: Shape | undefined): Value {
  if (data === null) return data;
  if (shape !== undefined && !hasShapeType(data, shape)) throw new Failure(`invalid data, expected ${shape.type.kind}`);
  if (typeof data === 'boolean') return data;
  if (typeof data === 'bigint') return shape?.type.kind === 'double' ? Number(data) : data;
  if (typeof data === 'string') return shape === undefined ? data : textOf(data, shape);
  if (typeof data === 'number') return numberOf(data, shape);
  if (Array.isArray(data)) return listOf(new DataList(data, shape?.item), shape?.distinct);
  if (shape?.fields !== undefined) return new ShapedObject(data, shape);
  return new DataMap(data, shape?.item);
}

/** Whether the data has the type of its shape; objects that were written under another schema may not. */
function hasShapeType(data: Data, { type: { kind } }: Shape): boolean {
  switch (kind) {
    case 'dyn':
      return true;
    case 'bool':
      return typeof data === 'boolean';
    case 'int':
      return typeof data === 'bigint' || Number.isInteger(data);
    case 'double':
      return typeof data === 'number' || typeof data === 'bigint';
    case 'list':
      return Array.isArray(data);
    case 'map':
    case 'object':
      return typeof data === 'object' && !Array.isArray(data);
    default:
      return typeof data === 'string';
  }
}

function listOf(list: ListValue, distinct: Shape['distinct']): ListValue {
  return distinct === undefined ? list : new KeyedList(list, distinct === 'items' ? undefined : distinct);
}

function numberOf(data: number, shape: Shape | undefined): Value {
  if (shape?.type.kind === 'double') return data;
  return Number.isInteger(data) ? BigInt(data) : data;
}

function textOf(text: string, { type, maxElements }: Shape): Value {
  let value: Value | undefined = text;
  if (type.kind === 'timestamp') value = maxElements === 12 ? parseDate(text) : parseTimestamp(text);
  else if (type.kind === 'duration') value = parseDuration(text) ?? parseWords(text);
  else if (type.kind === 'bytes') value = new Uint8Array(Buffer.from(text, 'base64'));
  if (value === undefined) throw new Failure(`invalid data, expected ${type.kind}: ${JSON.stringify(text)}`);
  return value;
}

class DataList extends ListValue {
  readonly #data: readonly Data[];
  readonly #shape: Shape | undefined;

  constructor(data: readonly Data[], shape: Shape | undefined) {
    super();
    this.#data = data;
    this.#shape = shape;
  }

  get size(): number {
    return this.#data.length;
  }

  at(index: number): Value {
    return fromData(this.#data[index] as Data, this.#shape);
  }
}

class DataMap extends MapValue {
  readonly #data: DataObject;
  readonly #shape: Shape | undefined;
  #keys: readonly string[] | undefined;

  constructor(data: DataObject, shape: Shape | undefined) {
    super();
    this.#data = data;
    this.#shape = shape;
  }

  get size(): number {
    return this.keys().length;
  }

  get(key: Value): Value | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.#data, key)) return undefined;
    const value = this.#data[key];
    return value === undefined ? undefined : fromData(value, this.#shape);
  }

  keys(): readonly Value[] {
    this.#keys ??= Object.keys(this.#data);
    return this.#keys;
  }
}

/** An object with known fields, by their names in expressions. */
class ShapedObject extends MapValue {
  readonly #data: DataObject;
  readonly #fields: NonNullable<Shape['fields']>;
  readonly #names: ReadonlySet<string>;

  constructor(data: DataObject, shape: Shape) {
    super();
    this.#data = data;
    this.#fields = shape.fields as NonNullable<Shape['fields']>;
    this.#names = shape.names ?? new Set();
  }

  get size(): number {
    return Object.keys(this.#data).length;
  }

  override hasSameHiddenFields(other: MapValue): boolean {
    if (!(other instanceof ShapedObject)) return true;
    for (const name of Object.keys(this.#data)) {
      if (this.#names.has(name) || !Object.hasOwn(other.#data, name)) continue;
      if (!isDeepStrictEqual(this.#data[name], other.#data[name])) return false;
    }
    return true;
  }

  get(key: Value): Value | undefined {
    const field = typeof key === 'string' ? this.#fields.get(key) : undefined;
    if (field === undefined || !Object.hasOwn(this.#data, field.name)) return undefined;
    const value = this.#data[field.name];
    // a field that is null counts as absent
    return value === undefined || value === null ? undefined : fromData(value, field.shape);
  }

  keys(): readonly Value[] {
    const keys: string[] = [];
    for (const [key, { name }] of this.#fields)
      if ((this.#data[name] ?? null) !== null && Object.hasOwn(this.#data, name)) keys.push(key);
    return keys;
  }
}
