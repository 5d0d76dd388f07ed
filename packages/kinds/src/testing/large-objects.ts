import type { Json, JsonObject, Schema } from '@tidegate/schema';
import type { Kind, Registry } from '../index.ts';

/** A list or map of a kind, by the names of the fields on its path; lists and maps on the path have one item. */
export interface Collection {
  readonly kind: Kind;
  readonly path: readonly string[];
  /** the type with the list and its name there: kinds share most of their types */
  readonly declared: string;
}

/**
 * The variants of items: all equal, all different, with invalid texts, or of a wrong type. Texts that are not equal
 * differ in each item, so that a search reads all of them.
 */
export const VARIANTS = ['equal', 'different', 'refused', 'mistyped'] as const;
export type Variant = (typeof VARIANTS)[number];

const MAX_DEPTH = 9;

/** All lists and maps of all kinds that can be created, each type's own once. */
export function allCollections(registry: Registry): Collection[] {
  const written = registry
    .all()
    .filter(({ entry }) => ['create', 'update'].every((verb) => entry.verbs.includes(verb)));
  const found = new Map<string, Collection>();
  // pods come first: controllers of pods share their types at a deeper path
  for (const kind of written.toSorted((a, b) => Number(b.storedAs === 'pods') - Number(a.storedAs === 'pods'))) {
    for (const one of collectionsOf(kind)) if (!found.has(one.declared)) found.set(one.declared, one);
  }
  return [...found.values()];
}

/** All lists and maps of a kind's objects. */
function collectionsOf(kind: Kind): Collection[] {
  const found: Collection[] = [];
  const visit = (schema: Schema, path: readonly string[], above: readonly string[], declared: string): void => {
    if (path.length > MAX_DEPTH) return;
    if (schema.type === 'list' || schema.type === 'map') {
      found.push({ kind, path, declared });
      visit(schema.type === 'list' ? schema.items : schema.values, path, above, `${declared}[]`);
    }
    if (schema.type !== 'object') return;
    const name = schema.reference ?? '';
    // a recursive type is not entered again
    if (name !== '' && above.includes(name)) return;
    for (const [field, type] of Object.entries(schema.fields)) {
      visit(type, [...path, field], [...above, name], name === '' ? `${declared}.${field}` : `${name}.${field}`);
    }
  };
  visit(kind.schema, [], [], '');
  return found.filter(({ path }, i) => found.findIndex((other) => other.path.join() === path.join()) === i);
}

/** An object in which each of these collections has this number of items. */
export function largeObject(collections: readonly Collection[], variant: Variant, count: number): JsonObject {
  const [first] = collections as readonly [Collection];
  const { kind } = first;
  const paths = collections.map(({ path }) => path);
  const object = filledOf(kind.schema, { paths, variant, count }) as JsonObject;
  object.apiVersion = kind.apiVersion;
  object.kind = kind.entry.kind;
  const metadata = (object.metadata ?? {}) as JsonObject;
  for (const field of ['deletionTimestamp', 'generateName', 'resourceVersion', 'uid']) delete metadata[field];
  object.metadata = { ...metadata, name: 'large', ...(kind.entry.namespaced ? { namespace: 'large' } : {}) };
  return object;
}

interface Filling {
  /** the rest of the paths */
  readonly paths: ReadonlyArray<readonly string[]>;
  readonly variant: Variant;
  readonly count: number;
}

function filledOf(schema: Schema, { paths, variant, count }: Filling): Json {
  const deeper = paths.filter((path) => path.length > 0);
  const isLarge = deeper.length < paths.length;
  switch (schema.type) {
    case 'object': {
      const object = itemOf(schema, 'different', 0) as JsonObject;
      for (const step of new Set(deeper.map(([name]) => name as string))) {
        const rest = deeper.filter(([name]) => name === step).map((path) => path.slice(1));
        object[step] = filledOf(schema.fields[step] as Schema, { paths: rest, variant, count });
      }
      return object;
    }
    case 'list': {
      const items = isLarge ? Array.from({ length: count }, (_, i) => itemOf(schema.items, variant, i)) : [];
      if (deeper.length > 0) items.unshift(filledOf(schema.items, { paths: deeper, variant, count }));
      return items;
    }
    case 'map': {
      const map: JsonObject = {};
      if (isLarge) for (let i = 0; i < count; i++) map[keyOf(variant, i)] = itemOf(schema.values, variant, i);
      if (deeper.length > 0) map.first = filledOf(schema.values, { paths: deeper, variant, count });
      return map;
    }
    default:
      return itemOf(schema, 'different', 0);
  }
}

function keyOf(variant: Variant, i: number): string {
  return variant === 'refused' ? `_${i}!` : `a${i}`;
}

/** A small value: all scalars of an object, and its first inner object. */
function itemOf(schema: Schema, variant: Variant, i: number, depth = 0): Json {
  if (variant === 'mistyped' && depth === 0) return schema.type === 'object' || schema.type === 'list' ? 7 : { a: 7 };
  if (schema.type === 'list') return [];
  if (schema.type === 'map') return {};
  if (schema.type !== 'object') return scalarOf(schema, variant, i);
  const object: JsonObject = {};
  let hasInner = depth > 1;
  for (const [name, field] of Object.entries(schema.fields)) {
    if (field.type === 'list' || field.type === 'map' || field.type === 'union') continue;
    if (field.type === 'object') {
      if (hasInner) continue;
      hasInner = true;
    }
    object[name] = itemOf(field, variant, i, depth + 1);
  }
  return object;
}

function scalarOf(schema: Schema, variant: Variant, i: number): Json {
  const place = variant === 'equal' ? 1 : i + 1;
  switch (schema.type) {
    case 'string':
      if (variant === 'refused') return `_${i}!/${i}`;
      return schema.enum?.[0] ?? (variant === 'equal' ? 'a' : `a${i}`);
    case 'bool':
      return true;
    case 'int32':
    case 'int64':
    case 'double':
    case 'intOrString':
      return variant === 'refused' ? -place : place;
    case 'quantity':
      return String(place);
    case 'bytes':
      return 'YQ==';
    case 'time':
      return '2026-01-01T00:00:00Z';
    case 'microTime':
      return '2026-01-01T00:00:00.000000Z';
    case 'duration':
      return '1s';
    default:
      return {};
  }
}
