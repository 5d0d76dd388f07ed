import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import { type FieldSet, FieldSetBuilder } from './field-set.ts';
import { normalElement } from './path-element.ts';

/**
 * A set in the form that stands in `fieldsV1`, in which `.` says that the field itself is in the set, too:
 *
 *   {"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:replicas":{}}}
 */
export function toFieldsV1(set: FieldSet): JsonObject {
  const result: JsonObject = {};
  for (const [i, element] of set.elements.entries()) {
    const below = set.below[i];
    if (below === undefined) result[element] = {};
    else result[element] = set.members[i] ? { '.': {}, ...toFieldsV1(below) } : toFieldsV1(below);
  }
  return result;
}

/** The set, whatever the order in which it is written. Throws when it is none. */
export function fromFieldsV1(json: Json): FieldSet {
  const builder = new FieldSetBuilder();
  read(json, builder);
  return builder.finish();
}

/** The outermost builder is of the whole object, which is nobody's. */
function read(json: Json, builder: FieldSetBuilder): void {
  if (!isJsonObject(json)) throw new Error('fields are written as objects');
  const keys = Object.keys(json);
  let hasBelow = false;
  for (const key of keys) {
    if (key === '.') continue;
    const element = normalElement(key);
    if (element === undefined) continue;
    hasBelow = true;
    read(json[key] as Json, builder.at(element));
  }
  if (!hasBelow || Object.hasOwn(json, '.')) builder.join();
}
