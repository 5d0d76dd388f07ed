import { badRequest } from '@tidegate/status';
import { type Json, type JsonObject, setOwn } from '../json/json.ts';

const PATCH = '$patch';
const RETAIN = '$retainKeys';
export const ORDER = '$setElementOrder/';
export const DELETE_PRIMITIVES = '$deleteFromPrimitiveList/';

/** A directive of the merge. Other keys that begin with a dollar sign are ordinary keys. */
export function isDirective(key: string): boolean {
  return key === PATCH || key === RETAIN || key.startsWith(ORDER) || key.startsWith(DELETE_PRIMITIVES);
}

/** The value of `$patch` in an object; undefined means that the object is merged. */
export function patchType(patch: JsonObject): 'replace' | 'delete' | undefined {
  if (!Object.hasOwn(patch, PATCH)) return undefined;
  const type = patch[PATCH];
  if (type === 'replace' || type === 'delete') return type;
  throw unknownType(patch);
}

/** The value of `$patch` in an item of a list. */
export function itemPatchType(item: JsonObject): 'replace' | 'delete' | undefined {
  if (item[PATCH] === 'merge') throw badRequest('merging lists cannot yet be specified in the patch');
  return patchType(item);
}

function unknownType(patch: JsonObject): Error {
  const { [PATCH]: type } = patch;
  const words = typeof type === 'string' ? type : JSON.stringify(type);
  return badRequest(`unknown patch type: ${words} in map: ${JSON.stringify(patch)}`);
}

/** Rejects directives that lack the slash and field name that they require. */
export function rejectMalformed(patch: JsonObject): void {
  for (const key of Object.keys(patch)) {
    if (!key.startsWith('$')) continue;
    if (key.startsWith(ORDER.slice(0, -1)) && !key.startsWith(ORDER)) {
      throw badRequest('invalid patch format of setElementOrder list');
    }
    if (key.startsWith(DELETE_PRIMITIVES.slice(0, -1)) && !key.startsWith(DELETE_PRIMITIVES)) {
      throw badRequest('invalid patch format of primitive list');
    }
  }
}

/** A copy of the object with all fields, or with those in `$retainKeys`, which must name every field of the patch. */
export function retained(current: JsonObject, patch: JsonObject): JsonObject {
  const wanted = Object.hasOwn(patch, RETAIN) ? retainedKeys(patch) : undefined;
  const kept: JsonObject = {};
  for (const key of Object.keys(current)) {
    if (wanted === undefined || wanted.has(key)) setOwn(kept, key, current[key] as Json);
  }
  return kept;
}

function retainedKeys(patch: JsonObject): ReadonlySet<Json> {
  const { [RETAIN]: keys } = patch;
  if (!Array.isArray(keys)) throw badRequest('invalid patch format of retainKeys');
  const wanted = new Set(keys);
  for (const key of Object.keys(patch)) {
    if (isDirective(key) || patch[key] === null || wanted.has(key)) continue;
    throw badRequest(
      `invalid patch format of retainKeys: the patch has the field ${JSON.stringify(key)}, but the list does not`,
    );
  }
  return wanted;
}
