import { isJsonObject, type Json, type JsonObject, type Schema } from '@tidegate/schema';
import { EMPTY, type FieldSet } from './field-set.ts';
import { FieldSetEntries } from './field-set-entries.ts';
import type { PathElement } from './path-element.ts';
import { elementOf, fieldOf, isSame, shapeOf } from './shape.ts';

/** The difference between two states. No field is in two of the sets. */
export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

export function compare(schema: Schema, old: Json, next: Json): Comparison {
  const whole = new Differences();
  compareParts(schema, old, next, whole);
  return whole.finish();
}

type Maybe = Json | undefined;

/** The differences below one field or item, while they are collected. */
class Differences {
  #removed: FieldSetEntries | undefined;
  #modified: FieldSetEntries | undefined;
  #added: FieldSetEntries | undefined;

  removed(element: PathElement, member: boolean, below: FieldSet): void {
    this.#removed ??= new FieldSetEntries();
    this.#removed.add(element, member, below);
  }

  modified(element: PathElement, member: boolean, below: FieldSet): void {
    this.#modified ??= new FieldSetEntries();
    this.#modified.add(element, member, below);
  }

  added(element: PathElement, member: boolean, below: FieldSet): void {
    this.#added ??= new FieldSetEntries();
    this.#added.add(element, member, below);
  }

  finish(): Comparison {
    return {
      removed: this.#removed?.finish() ?? EMPTY,
      modified: this.#modified?.finish() ?? EMPTY,
      added: this.#added?.finish() ?? EMPTY,
    };
  }
}

/** Compares the values of one field or item, and adds their differences to those of the object that has it. */
function compareAt(found: Differences, element: PathElement, schema: Schema, old: Maybe, next: Maybe): void {
  if (old === next) return;
  const inside = new Differences();
  const hasParts = compareParts(schema, old, next, inside);
  const { removed, modified, added } = inside.finish();
  const isBoth = old !== undefined && next !== undefined;
  if (next === undefined || !removed.isEmpty) found.removed(element, next === undefined, removed);
  if (old === undefined || !added.isEmpty) found.added(element, old === undefined, added);
  const isModified = isBoth && !hasParts && !isSame(old, next);
  if (isModified || !modified.isEmpty) found.modified(element, isModified, modified);
}

/** Returns whether there are parts. Two values without parts are compared as a whole. */
function compareParts(schema: Schema, old: Maybe, next: Maybe, found: Differences): boolean {
  const shape = shapeOf(schema);
  if (shape.kind === 'fields' && isSome(old, isJsonObject) && isSome(next, isJsonObject)) {
    return compareFields(shape.schema, asObject(old), asObject(next), found);
  }
  if (shape.kind === 'items' && isSome(old, Array.isArray) && isSome(next, Array.isArray)) {
    return compareItems(shape.schema, asList(old), asList(next), found);
  }
  return false;
}

function compareFields(schema: Schema, before: JsonObject, after: JsonObject, found: Differences): boolean {
  const names = Object.keys(before);
  const newNames = Object.keys(after);
  for (const name of names) {
    const next = Object.hasOwn(after, name) ? after[name] : undefined;
    if (before[name] === next) continue;
    const field = fieldOf(schema, name);
    compareAt(found, field.element, field.schema, before[name], next);
  }
  for (const name of newNames) {
    if (Object.hasOwn(before, name)) continue;
    const field = fieldOf(schema, name);
    compareAt(found, field.element, field.schema, undefined, after[name]);
  }
  return names.length + newNames.length > 0;
}

type ListSchema = Schema & { type: 'list' };

function compareItems(
  schema: ListSchema,
  before: readonly Json[],
  after: readonly Json[],
  found: Differences,
): boolean {
  const [left, right] = [byElement(schema, before), byElement(schema, after)];
  for (const element of new Set([...left.keys(), ...right.keys()])) {
    compareItemsOf(schema, element, { old: left.get(element) ?? [], next: right.get(element) ?? [] }, found);
  }
  return before.length + after.length > 0;
}

/** Compares the items that one element names. Duplicate items are treated as one value with one owner. */
function compareItemsOf(
  schema: ListSchema,
  element: PathElement,
  { old, next }: { old: Json[]; next: Json[] },
  found: Differences,
): void {
  if (old.length <= 1 && next.length <= 1) compareAt(found, element, schema.items, old[0], next[0]);
  else if (old.length > 1 && next.length > 1) {
    if (!isSame(old, next)) found.modified(element, true, EMPTY);
  } else if (old.length > 1) {
    if (next.length > 0) compareAt(found, element, schema.items, undefined, next[0]);
    found.removed(element, true, EMPTY);
  } else {
    if (old.length > 0) compareAt(found, element, schema.items, old[0], undefined);
    found.added(element, true, EMPTY);
  }
}

/** undefined, null, or a value of the expected type; any other value has no parts to compare */
function isSome(value: Maybe, isExpected: (value: Json) => boolean): boolean {
  return value === undefined || value === null || isExpected(value);
}

function asObject(value: Maybe): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}

function asList(value: Maybe): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function byElement(schema: ListSchema, items: readonly Json[]): Map<PathElement, Json[]> {
  const found = new Map<PathElement, Json[]>();
  for (const item of items) {
    const element = elementOf(schema, item);
    const same = found.get(element);
    if (same === undefined) found.set(element, [item]);
    else same.push(item);
  }
  return found;
}
