import type { handleUnaryCall } from '@grpc/grpc-js';
import { type DigestResponse, toServiceError } from '@tidegate/wire';
import type { Pool } from '../storage/connection.ts';
import { readDigests } from '../storage/digests.ts';

export function digestHandler(pool: Pool): handleUnaryCall<unknown, DigestResponse> {
  return (_call, callback) => {
    readDigests(pool).then(
      (response) => callback(null, response),
      (error: unknown) => callback(toServiceError(error)),
    );
  };
}
