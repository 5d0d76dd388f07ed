import { isJsonObject, type Json, type JsonObject, type Schema } from '@tidegate/schema';
import { type FieldSet, FieldSetBuilder } from './field-set.ts';
import type { PathElement } from './path-element.ts';
import { elementOf, fieldOf, isSame, shapeOf } from './shape.ts';

/** The difference between two states. No field is in two of the sets. */
export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

export function compare(schema: Schema, old: Json, next: Json): Comparison {
  const walk = new Walk();
  walk.compare(schema, old, next);
  return { removed: walk.removed.finish(), modified: walk.modified.finish(), added: walk.added.finish() };
}

type Maybe = Json | undefined;

/** Builds a set during a walk. Adding a field costs one step at any depth. */
class PathCollector {
  readonly #builders = [new FieldSetBuilder()];

  /** An empty path, which means the whole object, is ignored. */
  add(path: readonly PathElement[]): void {
    for (let depth = this.#builders.length; depth <= path.length; depth++) {
      this.#builders.push((this.#builders[depth - 1] as FieldSetBuilder).at(path[depth - 1] as PathElement));
    }
    if (path.length > 0) (this.#builders[path.length] as FieldSetBuilder).include();
  }

  /** The walk leaves the current element at this depth. */
  leave(depth: number): void {
    if (this.#builders.length > depth) this.#builders.length = depth;
  }

  finish(): FieldSet {
    return (this.#builders[0] as FieldSetBuilder).finish();
  }
}

class Walk {
  readonly removed = new PathCollector();
  readonly modified = new PathCollector();
  readonly added = new PathCollector();
  readonly #path: PathElement[] = [];

  compare(schema: Schema, old: Maybe, next: Maybe): void {
    const hasParts = this.#compareParts(schema, old, next);
    if (old === undefined) this.added.add(this.#path);
    else if (next === undefined) this.removed.add(this.#path);
    else if (!hasParts && !isSame(old, next)) this.modified.add(this.#path);
  }

  /** Returns whether there are parts. Two values without parts are compared as a whole. */
  #compareParts(schema: Schema, old: Maybe, next: Maybe): boolean {
    const shape = shapeOf(schema);
    if (shape.kind === 'fields' && isSome(old, isJsonObject) && isSome(next, isJsonObject)) {
      return this.#compareFields(shape.schema, asObject(old), asObject(next));
    }
    if (shape.kind === 'items' && isSome(old, Array.isArray) && isSome(next, Array.isArray)) {
      return this.#compareItems(shape.schema, asList(old), asList(next));
    }
    return false;
  }

  #compareFields(schema: Schema, before: JsonObject, after: JsonObject): boolean {
    const [names, newNames] = [Object.keys(before), Object.keys(after)];
    for (const name of names) {
      const next = Object.hasOwn(after, name) ? after[name] : undefined;
      if (before[name] === next) continue;
      const field = fieldOf(schema, name);
      this.#below(field.element, field.schema, before[name], next);
    }
    for (const name of newNames) {
      if (Object.hasOwn(before, name)) continue;
      const field = fieldOf(schema, name);
      this.#below(field.element, field.schema, undefined, after[name]);
    }
    return names.length + newNames.length > 0;
  }

  #below(element: PathElement, schema: Schema, old: Maybe, next: Maybe): void {
    if (old === next) return;
    this.#path.push(element);
    this.compare(schema, old, next);
    this.#leave();
  }

  #leave(): void {
    const depth = this.#path.length;
    this.#path.pop();
    this.removed.leave(depth);
    this.modified.leave(depth);
    this.added.leave(depth);
  }

  /** Adds an element whose items are treated as one value. */
  #add(to: PathCollector, element: PathElement): void {
    this.#path.push(element);
    to.add(this.#path);
    this.#leave();
  }

  #compareItems(schema: Schema & { type: 'list' }, before: readonly Json[], after: readonly Json[]): boolean {
    const [left, right] = [byElement(schema, before), byElement(schema, after)];
    for (const element of new Set([...left.keys(), ...right.keys()])) {
      this.#compareItemsOf(schema, element, { old: left.get(element) ?? [], next: right.get(element) ?? [] });
    }
    return before.length + after.length > 0;
  }

  /** Compares the items that one element names. Duplicate items are treated as one value with one owner. */
  #compareItemsOf(
    schema: Schema & { type: 'list' },
    element: PathElement,
    { old, next }: { old: Json[]; next: Json[] },
  ): void {
    if (old.length <= 1 && next.length <= 1) this.#below(element, schema.items, old[0], next[0]);
    else if (old.length > 1 && next.length > 1) {
      if (!isSame(old, next)) this.#add(this.modified, element);
    } else if (old.length > 1) {
      if (next.length > 0) this.#below(element, schema.items, undefined, next[0]);
      this.#add(this.removed, element);
    } else {
      if (old.length > 0) this.#below(element, schema.items, old[0], undefined);
      this.#add(this.added, element);
    }
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

function byElement(schema: Schema & { type: 'list' }, items: readonly Json[]): Map<PathElement, Json[]> {
  const found = new Map<PathElement, Json[]>();
  for (const item of items) {
    const element = elementOf(schema, item);
    const same = found.get(element);
    if (same === undefined) found.set(element, [item]);
    else same.push(item);
  }
  return found;
}
