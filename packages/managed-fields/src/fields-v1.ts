import { frozen, isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import { type FieldSet, FieldSetBuilder } from './field-set.ts';
import { FieldSetEntries } from './field-set-entries.ts';
import { normalElement } from './path-element.ts';

/** The sets of encoded fields, which cannot change. The same ones are read at every write of an object. */
const known = new WeakMap<JsonObject, FieldSet>();
const written = new WeakMap<FieldSet, JsonObject>();

/**
 * Encodes a set as `fieldsV1`, where `.` means that the field itself is in the set, too:
 *
 *   {"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:replicas":{}}}
 *
 * Objects with the same fields share the result, which is frozen.
 */
export function toFieldsV1(set: FieldSet): JsonObject {
  let fields = written.get(set);
  if (fields === undefined) {
    fields = frozen(encoded(set));
    written.set(set, fields);
    known.set(fields, set);
  }
  return fields;
}

function encoded(set: FieldSet): JsonObject {
  const result: JsonObject = {};
  for (const [i, element] of set.elements.entries()) {
    const below = set.below[i];
    if (below === undefined) result[element] = {};
    else result[element] = set.members[i] ? { '.': {}, ...encoded(below) } : encoded(below);
  }
  return result;
}

/** Decodes `fieldsV1` with keys in any order. Throws if it is malformed. */
export function fromFieldsV1(json: Json): FieldSet {
  const found = isJsonObject(json) ? known.get(json) : undefined;
  if (found !== undefined) return found;
  const set = setOf(json);
  if (isJsonObject(json) && Object.isFrozen(json)) known.set(json, set);
  return set;
}

function setOf(json: Json): FieldSet {
  if (!isJsonObject(json)) throw new Error(MALFORMED);
  const entries = new FieldSetEntries();
  for (const key of Object.keys(json)) {
    if (key === '.') continue;
    const element = normalElement(key);
    if (element === undefined) continue;
    // two keys that are not in their normal form can stand for the same element
    if (element !== key) return setOfUnusual(json);
    const inside = json[key] as Json;
    const below = setOf(inside);
    entries.add(element, below.isEmpty || hasItself(inside as JsonObject), below);
  }
  return entries.finish();
}

const MALFORMED = 'fieldsV1 must consist of objects';

function hasItself(json: JsonObject): boolean {
  return Object.hasOwn(json, '.');
}

function setOfUnusual(json: JsonObject): FieldSet {
  const builder = new FieldSetBuilder();
  read(json, builder);
  return builder.finish();
}

/** The outermost builder stands for the whole object, which cannot be owned. */
function read(json: Json, builder: FieldSetBuilder): void {
  if (!isJsonObject(json)) throw new Error(MALFORMED);
  let hasBelow = false;
  for (const key of Object.keys(json)) {
    if (key === '.') continue;
    const element = normalElement(key);
    if (element === undefined) continue;
    hasBelow = true;
    read(json[key] as Json, builder.at(element));
  }
  if (!hasBelow || hasItself(json)) builder.include();
}
