import { isJsonObject, isTooDeep, type JsonObject, MAX_DEPTH } from '@tidegate/schema';
import { ApiError, badRequest, requestEntityTooLarge } from '@tidegate/status';
import fastJsonPatch, { type Operation } from 'fast-json-patch';

const MAX_OPERATIONS = 10_000;
/** Each copy may double what there is: together they may not make more than a body may be. */
const MAX_COPIED_CHARACTERS = 3 << 20;
const KINDS = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test']);

/** RFC 6902. The whole patch or nothing: it works on a copy, and the patch stays as it is, too. */
export function applyJsonPatch(current: JsonObject, operations: readonly unknown[]): JsonObject {
  if (operations.length > MAX_OPERATIONS) {
    throw requestEntityTooLarge(
      `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${operations.length}`,
    );
  }
  const checked = operations.map(checkOperation);
  let document = structuredClone(current);
  let copied = 0;
  try {
    for (const [i, operation] of checked.entries()) {
      if (isTestOfNothing(document, operation)) continue;
      const step = ownStep(document, operation);
      if (operation.op === 'copy') copied += JSON.stringify(valueIn(step)).length;
      if (copied > MAX_COPIED_CHARACTERS)
        throw new Error(`its copies exceed the limit of ${MAX_COPIED_CHARACTERS} bytes`);
      document = fastJsonPatch.applyOperation(document, step, true, true, false, i).newDocument;
    }
    if (!isJsonObject(document)) throw new Error('what it makes is not an object');
    if (isTooDeep(document)) throw new Error(`exceeded max depth of ${MAX_DEPTH}`);
    return document;
  } catch (error) {
    const [line = ''] = (error as Error).message.split('\n');
    throw new ApiError('Invalid', `the server rejected our request due to an error in our request: ${line}`, {
      cause: error,
    });
  }
}

/** Clients make sure by it that a field is not there yet: as in Kubernetes, what an object does not have is null. */
function isTestOfNothing(document: JsonObject, operation: Operation): boolean {
  if (operation.op !== 'test' || valueIn(operation) !== null) return false;
  const slash = operation.path.lastIndexOf('/');
  if (slash < 0) return false;
  const holder: unknown = fastJsonPatch.getValueByPointer(document, operation.path.slice(0, slash));
  const name = fastJsonPatch.unescapePathComponent(operation.path.slice(slash + 1));
  return typeof holder === 'object' && holder !== null && !Array.isArray(holder) && !Object.hasOwn(holder, name);
}

/** The operation with a value of its own: later operations may change it. */
function ownStep(document: JsonObject, operation: Operation): Operation {
  if (operation.op === 'copy') {
    const value: unknown = fastJsonPatch.getValueByPointer(document, operation.from);
    if (value === undefined) return operation;
    return { op: 'add', path: operation.path, value: structuredClone(value) };
  }
  const value: unknown = valueIn(operation);
  return typeof value === 'object' && value !== null
    ? ({ ...operation, value: structuredClone(value) } as Operation)
    : operation;
}

function valueIn(operation: Operation): unknown {
  return (operation as { value?: unknown }).value ?? null;
}

function checkOperation(operation: unknown, i: number): Operation {
  const { op, path, from } = (operation ?? {}) as { op?: unknown; path?: unknown; from?: unknown };
  if (typeof op !== 'string' || !KINDS.has(op))
    throw badRequest(`json patch: operation ${i} has no known op: ${JSON.stringify(op)}`);
  for (const pointer of op === 'move' || op === 'copy' ? [path, from] : [path]) {
    if (typeof pointer !== 'string' || (pointer !== '' && !pointer.startsWith('/'))) {
      throw badRequest(`json patch: operation ${i} has a bad pointer: ${JSON.stringify(pointer)}`);
    }
    if (pointer.split('/').some((part) => part === '__proto__' || part === 'constructor' || part === 'prototype')) {
      throw badRequest(
        `json patch: operation ${i} names ${JSON.stringify(pointer)}, which no object has; use a merge patch for such keys`,
      );
    }
  }
  return operation as Operation;
}
