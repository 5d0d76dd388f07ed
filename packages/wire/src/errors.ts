import { status as grpcStatus, Metadata, type ServiceError } from '@grpc/grpc-js';
import { ApiError, reasons, type Status } from '@tidegate/status';

/** The whole Status is sent as a binary trailer, so that a service that forwards an error does not change it. */
const DETAIL = 'tidegate-status-bin';

export function toServiceError(error: unknown): Partial<ServiceError> {
  const known = ApiError.from(error);
  const metadata = new Metadata();
  metadata.set(DETAIL, Buffer.from(JSON.stringify(known.status)));
  const code = known.reason === '' ? grpcStatus.UNKNOWN : reasons[known.reason].grpc;
  return { code, details: known.message, metadata };
}

/** The result is undefined when the error has no Status: the connection broke, or the deadline passed. */
export function fromServiceError(error: ServiceError): ApiError | undefined {
  const detail = error.metadata?.get(DETAIL)[0];
  if (!Buffer.isBuffer(detail)) return undefined;
  return ApiError.fromStatus(JSON.parse(detail.toString('utf8')) as Status, error);
}
