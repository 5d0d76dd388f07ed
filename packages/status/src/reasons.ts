/** The gRPC codes that carry a reason between the parts; the numbers are gRPC's own. */
export type GrpcCode = 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 11 | 12 | 13 | 14 | 16;

interface ReasonRow {
  readonly http: number;
  readonly grpc: GrpcCode;
  /** A client that sends the same request again may succeed. */
  readonly retry: boolean;
}

/** Every reason of a Status, with its HTTP and gRPC codes. */
export const reasons = {
  BadRequest: { http: 400, grpc: 3, retry: false },
  Unauthorized: { http: 401, grpc: 16, retry: false },
  Forbidden: { http: 403, grpc: 7, retry: false },
  NotFound: { http: 404, grpc: 5, retry: false },
  MethodNotAllowed: { http: 405, grpc: 12, retry: false },
  NotAcceptable: { http: 406, grpc: 3, retry: false },
  AlreadyExists: { http: 409, grpc: 6, retry: false },
  Conflict: { http: 409, grpc: 9, retry: true },
  Expired: { http: 410, grpc: 11, retry: false },
  RequestEntityTooLarge: { http: 413, grpc: 3, retry: false },
  UnsupportedMediaType: { http: 415, grpc: 3, retry: false },
  Invalid: { http: 422, grpc: 3, retry: false },
  TooManyRequests: { http: 429, grpc: 8, retry: true },
  InternalError: { http: 500, grpc: 13, retry: false },
  StorageReadError: { http: 500, grpc: 13, retry: false },
  ServerTimeout: { http: 500, grpc: 14, retry: true },
  ServiceUnavailable: { http: 503, grpc: 14, retry: true },
  Timeout: { http: 504, grpc: 4, retry: true },
} as const satisfies Record<string, ReasonRow>;

export type Reason = keyof typeof reasons;
