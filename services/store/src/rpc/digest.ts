import type { handleUnaryCall } from '@grpc/grpc-js';
import type { Pool } from '@tidegate/database';
import { type DigestResponse, toServiceError } from '@tidegate/wire';
import { readDigests } from '../storage/reads/digests.ts';

export function digestHandler(pool: Pool): handleUnaryCall<unknown, DigestResponse> {
  return (_call, callback) => {
    readDigests(pool).then(
      (response) => callback(null, response),
      (error: unknown) => callback(toServiceError(error)),
    );
  };
}
