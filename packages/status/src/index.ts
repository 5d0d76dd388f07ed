export { ApiError } from './api-error.ts';
export {
  alreadyExists,
  badRequest,
  conflict,
  expired,
  forbidden,
  forbiddenObject,
  internalError,
  invalid,
  methodNotAllowed,
  namespaceTerminating,
  notAcceptable,
  notFound,
  requestEntityTooLarge,
  resourceNotFound,
  resourceVersionTooLarge,
  serverTimeout,
  serviceUnavailable,
  storageReadError,
  timeout,
  tooManyRequests,
  unauthorized,
  unreadable,
  unsupportedMediaType,
} from './constructors.ts';
export {
  duplicateValue,
  type FieldError,
  fieldError,
  forbiddenField,
  invalidValue,
  notFoundValue,
  notSupported,
  requiredValue,
  tooLong,
  tooMany,
  typeInvalid,
} from './field-error.ts';
export { FieldErrors, MAX_ERRORS } from './field-errors.ts';
export { type GrpcCode, type Reason, reasons } from './reasons.ts';
export { groupResourceName, type ResourceRef } from './resource-ref.ts';
export type { Status, StatusCause, StatusDetails } from './status.ts';
