import { type Reason, reasons } from './reasons.ts';
import type { Status, StatusDetails } from './status.ts';

interface ApiErrorOptions {
  details?: StatusDetails;
  code?: number;
  continueToken?: string;
  cause?: unknown;
}

/** The one error class of the project. It carries a complete Status. */
export class ApiError extends Error {
  readonly status: Status;

  constructor(reason: Reason | '', message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ApiError';
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: options.continueToken === undefined ? {} : { continue: options.continueToken },
      status: 'Failure',
      message,
      ...(reason === '' ? {} : { reason }),
      ...(options.details === undefined ? {} : { details: options.details }),
      code: options.code ?? (reason === '' ? 500 : reasons[reason].http),
    };
  }

  get code(): number {
    return this.status.code;
  }

  get reason(): Reason | '' {
    return (this.status.reason ?? '') as Reason | '';
  }

  /** Converts any error to an ApiError. Other errors become internal errors that keep the message as their cause. */
  static from(error: unknown): ApiError {
    if (error instanceof ApiError) return error;
    const message = error instanceof Error ? error.message : String(error);
    return new ApiError('InternalError', `Internal error occurred: ${message}`, {
      details: { causes: [{ message }] },
      cause: error,
    });
  }

  /** Restores an error that crossed a process boundary as a Status. */
  static fromStatus(status: Status, cause?: unknown): ApiError {
    const error = new ApiError((status.reason ?? '') as Reason | '', status.message ?? '', {
      ...(status.details === undefined ? {} : { details: status.details }),
      ...(status.metadata.continue === undefined ? {} : { continueToken: status.metadata.continue }),
      code: status.code,
      cause,
    });
    return error;
  }
}
