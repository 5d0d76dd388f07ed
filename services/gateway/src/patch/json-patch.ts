import {
  type BodyNotes,
  copyOf,
  isJsonObject,
  isTooDeep,
  type Json,
  type JsonObject,
  MAX_DEPTH,
  repeatedFields,
  type Surplus,
} from '@tidegate/schema';
import { ApiError, badRequest, requestEntityTooLarge } from '@tidegate/status';
import fastJsonPatch, { type Operation as LibraryOperation } from 'fast-json-patch';
import { type Place, placeOf, pointerKeys } from './pointer.ts';
import { isSameJson, WorkLimit } from './work-limit.ts';

const MAX_OPERATIONS = 10_000;
/** Each copy may double the object, so all copies together may create at most the size of a body. */
const MAX_COPIED_CHARACTERS = 3 << 20;
const KINDS = ['add', 'remove', 'replace', 'move', 'copy', 'test'] as const;

interface Operation {
  readonly op: (typeof KINDS)[number];
  readonly path: string;
  readonly keys: readonly string[];
  /** the source of move and copy */
  readonly from: string;
  readonly fromKeys: readonly string[];
  /** undefined: the operation has none */
  readonly value: Json | undefined;
}

/**
 * Applies a JSON patch (RFC 6902) completely or not at all, to a copy; the patch is not changed either.
 *
 * Invariant: the work of a patch beyond one pass over it and the object is bounded: copies by the characters that they
 * create, all other operations by WorkLimit.
 */
export function applyJsonPatch(current: JsonObject, operations: readonly unknown[]): JsonObject {
  if (operations.length > MAX_OPERATIONS) {
    throw requestEntityTooLarge(
      `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${operations.length}`,
    );
  }
  const checked = operations.map(checkOperation);
  const work = new WorkLimit((limit) => refusal(`its operations exceed the limit of ${limit} steps`));
  let document = bareCopy(current);
  let copied = 0;
  for (const operation of checked) {
    if (operation.op === 'copy') copied += charactersOf(valueAt(document, operation.fromKeys));
    if (copied > MAX_COPIED_CHARACTERS) throw refusal(`its copies exceed the limit of ${MAX_COPIED_CHARACTERS} bytes`);
    document = applyOne(document, operation, work);
  }
  if (!isJsonObject(document)) throw refusal('what it makes is not an object');
  if (isTooDeep(document)) throw refusal(TOO_DEEP);
  return copyOf(document) as JsonObject;
}

function charactersOf(value: Json): number {
  if (isTooDeep(value)) throw refusal(TOO_DEEP);
  return JSON.stringify(value).length;
}

const TOO_DEEP = `exceeded max depth of ${MAX_DEPTH}`;

function refusal(why: string): ApiError {
  const message = `the server rejected our request due to an error in our request: ${why}`;
  return new ApiError('Invalid', message, { cause: new Error(why) });
}

function applyOne(document: Json, operation: Operation, work: WorkLimit): Json {
  const { op, path, keys, from, fromKeys, value } = operation;
  const change = (to: Json, change: LibraryOperation, at: readonly string[]) => changed(to, { change, at, work });
  switch (op) {
    case 'test':
      test(document, operation, work);
      return document;
    case 'copy':
      return change(document, { op: 'add', path, value: bareCopy(valueAt(document, fromKeys)) }, keys);
    case 'move': {
      const moved = valueAt(document, fromKeys);
      if (path === from) return document;
      return change(change(document, { op: 'remove', path: from }, fromKeys), { op: 'add', path, value: moved }, keys);
    }
    case 'remove':
      return change(document, { op, path }, keys);
    default:
      return change(document, { op, path, value: bareCopy(value as Json) }, keys);
  }
}

/** Absent fields equal null, as in Kubernetes, so that clients can test that a field does not exist. */
function test(document: Json, { keys, value = null }: Operation, work: WorkLimit): void {
  const place = placeOf(document, keys);
  const found = keys.length === 0 ? document : place?.value;
  const isAbsentField = found === undefined && isJsonObject(place?.holder);
  if (found === undefined && !isAbsentField) throw refusal('Cannot perform operation at the desired path');
  if (!isSameJson(found ?? null, value, work)) throw refusal('Test operation failed');
}

function valueAt(document: Json, keys: readonly string[]): Json {
  const value = keys.length === 0 ? document : placeOf(document, keys)?.value;
  if (value === undefined) throw refusal('Cannot perform operation from a path that does not exist');
  return value;
}

interface Changing {
  readonly change: LibraryOperation;
  readonly at: readonly string[];
  readonly work: WorkLimit;
}

/** The place is checked before the library is called, so that an error of the library is a bug of this server. */
function changed(document: Json, { change, at, work }: Changing): Json {
  const place = placeOf(document, at);
  if (at.length > 0) {
    refuseUnreachable(place, change.op);
    if (change.op !== 'replace') work.shifts(behind(place as Place));
  }
  return fastJsonPatch.applyOperation(document, change, false, true, false).newDocument as Json;
}

function refuseUnreachable(place: Place | undefined, op: string): void {
  if (op === 'add') {
    if (place === undefined) throw refusal('Cannot perform an `add` operation at the desired path');
  } else if (place?.value === undefined) {
    throw refusal('Cannot perform the operation at a path that does not exist');
  }
}

/** The number of list elements that shift when one is inserted or removed at this place. */
function behind({ holder, key }: Place): number {
  return !Array.isArray(holder) || key === '-' ? 0 : holder.length - Number(key);
}

function checkOperation(operation: unknown, i: number): Operation {
  const { op, path, from, value } = (operation ?? {}) as Record<string, unknown>;
  const kind = KINDS.find((one) => one === op);
  if (kind === undefined) throw badRequest(`json patch: operation ${i} has no known op: ${JSON.stringify(op)}`);
  const takes = kind === 'move' || kind === 'copy';
  const [keys, fromKeys] = [pointerKeys(path), takes ? pointerKeys(from) : []];
  if (keys === undefined) throw badPointer(i, path);
  if (fromKeys === undefined) throw badPointer(i, from);
  if ((kind === 'add' || kind === 'replace') && value === undefined) {
    throw refusal('Operation `value` property is not present (applicable in `add`, `replace` and `test` operations)');
  }
  return { op: kind, path: path as string, keys, from: from as string, fromKeys, value: value as Json | undefined };
}

function badPointer(i: number, pointer: unknown): ApiError {
  return badRequest(`json patch: operation ${i} has a bad pointer: ${JSON.stringify(pointer)}`);
}

const OPERATION_FIELDS = new Set(['op', 'path', 'from', 'value']);

/** Unknown and duplicate fields in the operations of a JSON patch. */
export function surplusOfOperations(operations: readonly unknown[], notes: BodyNotes | undefined): Surplus[] {
  const surplus: Surplus[] = [];
  for (const [i, operation] of operations.entries()) {
    if (!isJsonObject(operation)) continue;
    for (const key of Object.keys(operation)) {
      if (!OPERATION_FIELDS.has(key)) surplus.push({ what: 'unknown', field: `[${i}].${key}` });
    }
  }
  return [...surplusOfPatch(operations as Json, notes), ...surplus];
}

/** Duplicate fields in a patch. Unknown fields are found in the patched object. */
export function surplusOfPatch(patch: Json, notes: BodyNotes | undefined): Surplus[] {
  if (notes === undefined || notes.repeatedKeys.size === 0) return [];
  return repeatedFields(patch, notes).map((field) => ({ what: 'duplicate', field }));
}

/** A copy whose objects have no prototype, so that a patch may set any key, `__proto__` among them. */
function bareCopy(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(bareCopy);
  const copy = Object.create(null) as JsonObject;
  for (const key of Object.keys(value)) copy[key] = bareCopy(value[key] as Json);
  return copy;
}
