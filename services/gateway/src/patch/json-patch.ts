import type { JsonObject } from '@tidegate/schema';
import { ApiError, badRequest, requestEntityTooLarge } from '@tidegate/status';
import fastJsonPatch, { type Operation } from 'fast-json-patch';

const MAX_OPERATIONS = 10_000;
const KINDS = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test']);

/** RFC 6902. The whole patch or nothing: it works on a copy. */
export function applyJsonPatch(current: JsonObject, operations: readonly unknown[]): JsonObject {
  if (operations.length > MAX_OPERATIONS) {
    throw requestEntityTooLarge(
      `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${operations.length}`,
    );
  }
  const checked = operations.map(checkOperation);
  try {
    return fastJsonPatch.applyPatch(structuredClone(current), checked, true, true, false).newDocument;
  } catch (error) {
    const [line = ''] = (error as Error).message.split('\n');
    throw new ApiError('Invalid', `the server rejected our request due to an error in our request: ${line}`, {
      cause: error,
    });
  }
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
