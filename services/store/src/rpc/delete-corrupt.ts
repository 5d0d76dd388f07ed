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
import type { CommitBatcher } from '../storage/commit-batcher.ts';
import type { KeyReader } from '../storage/reads.ts';

interface DeleteCorruptRoom {
  commits: CommitBatcher;
  reads: KeyReader;
}

export function deleteCorruptHandler(
  room: DeleteCorruptRoom,
): handleUnaryCall<DeleteCorruptRequest, DeleteCorruptResponse> {
  return (call, callback) => {
    deleteCorrupt(call.request, room).then(
      (response) => callback(null, response),
      (error: unknown) => callback(toServiceError(error)),
    );
  };
}

/**
 * Reads the stored bytes, and removes them only at the revision at which they could not be read: whoever writes the
 * object meanwhile makes it readable, and keeps it.
 */
async function deleteCorrupt(
  { key, operationId, traceparent = '' }: DeleteCorruptRequest,
  { commits, reads }: DeleteCorruptRoom,
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
