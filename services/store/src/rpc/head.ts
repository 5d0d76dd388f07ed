import type { handleUnaryCall } from '@grpc/grpc-js';
import { type HeadResponse, toServiceError } from '@tidegate/wire';
import type { HeadReader } from '../storage/reads/reads.ts';

export function headHandler(heads: HeadReader): handleUnaryCall<unknown, HeadResponse> {
  return (_call, callback) => {
    heads.read().then(
      (head) => callback(null, head),
      (error: unknown) => callback(toServiceError(error)),
    );
  };
}
