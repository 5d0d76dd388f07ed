import type { handleUnaryCall } from '@grpc/grpc-js';
import { serviceUnavailable } from '@tidegate/status';
import {
  type DeleteCorruptRequest,
  type DeleteCorruptResponse,
  deleteCorruptKind,
  outcomeKind,
  toServiceError,
  writeKind,
} from '@tidegate/wire';
import type { CommitBatcher } from '../storage/commits/commit-batcher.ts';
import type { KeyReader } from '../storage/reads/reads.ts';

interface DeleteCorruptOptions {
  commits: CommitBatcher;
  reads: KeyReader;
}

export function deleteCorruptHandler(
  options: DeleteCorruptOptions,
): handleUnaryCall<DeleteCorruptRequest, DeleteCorruptResponse> {
  return (call, callback) => {
    deleteCorrupt(call.request, options).then(
      (response) => callback(null, response),
      (error: unknown) => callback(toServiceError(error)),
    );
  };
}

/**
 * Deletes an object that cannot be read, at the revision at which it was found unreadable. An object that was written in
 * the meantime is readable again, and stays.
 */
async function deleteCorrupt(
  { key, operationId, traceparent = '' }: DeleteCorruptRequest,
  { commits, reads }: DeleteCorruptOptions,
): Promise<DeleteCorruptResponse> {
  for (;;) {
    const [read] = await reads.read([key]);
    if (!read?.found || read.object === null) return { kind: deleteCorruptKind.notFound, revision: 0, uid: '' };
    const { revision, uid, corrupt } = read.object;
    if (corrupt === '') return { kind: deleteCorruptKind.readable, revision, uid };
    const [outcome] = await commits.submit([
      { kind: writeKind.delete, key, operationId, expectedRevision: revision, traceparent },
    ]);
    if (outcome?.kind === outcomeKind.committed) {
      return { kind: deleteCorruptKind.deleted, revision: outcome.revision, uid };
    }
    if (outcome?.kind !== outcomeKind.conflict && outcome?.kind !== outcomeKind.notFound) {
      throw serviceUnavailable(outcome?.message || 'the store could not remove the object, please try again');
    }
  }
}
