import { type Reason, reasons } from './reasons.ts';
import type { Status, StatusDetails } from './status.ts';

interface ApiErrorOptions {
  details?: StatusDetails;
  code?: number;
  continueToken?: string;
  cause?: unknown;
}

/** The one error class of the project: it carries a whole Status, ready to be sent. */
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

  /** The only door for errors that are not ours: an unexpected one is an internal error, its words kept as the cause. */
  static from(error: unknown): ApiError {
    if (error instanceof ApiError) return error;
    const words = error instanceof Error ? error.message : String(error);
    return new ApiError('InternalError', `Internal error occurred: ${words}`, {
      details: { causes: [{ message: words }] },
      cause: error,
    });
  }

  /** Makes the error whole again after it crossed a process boundary as JSON. */
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
