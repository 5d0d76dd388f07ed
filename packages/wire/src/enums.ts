import { _grpc_health_v1_HealthCheckResponse_ServingStatus as ServingStatus } from './generated/grpc/health/v1/HealthCheckResponse.ts';
import { _tidegate_store_v1_DeleteCorruptResponse_Kind as DeleteCorruptKind } from './generated/tidegate/store/v1/DeleteCorruptResponse.ts';
import { _tidegate_store_v1_Guard_Kind as GuardKind } from './generated/tidegate/store/v1/Guard.ts';
import { _tidegate_store_v1_Write_Kind as Kind } from './generated/tidegate/store/v1/Write.ts';
import { _tidegate_store_v1_WriteOutcome_Kind as Outcome } from './generated/tidegate/store/v1/WriteOutcome.ts';

/** The enums of proto/ in this project's spelling; the numbers come from the contracts. */
export const writeKind = { create: Kind.CREATE, update: Kind.UPDATE, delete: Kind.DELETE } as const;

export const guardKind = {
  live: GuardKind.LIVE,
  namespaceEmpty: GuardKind.NAMESPACE_EMPTY,
  fence: GuardKind.FENCE,
  unclaimed: GuardKind.UNCLAIMED,
  atRevision: GuardKind.AT_REVISION,
} as const;

export const outcomeKind = {
  committed: Outcome.COMMITTED,
  notFound: Outcome.NOT_FOUND,
  alreadyExists: Outcome.ALREADY_EXISTS,
  conflict: Outcome.CONFLICT,
  uidMismatch: Outcome.UID_MISMATCH,
  guardFailed: Outcome.GUARD_FAILED,
  refused: Outcome.REFUSED,
  unavailable: Outcome.UNAVAILABLE,
  unknown: Outcome.UNKNOWN,
} as const;

export const deleteCorruptKind = {
  deleted: DeleteCorruptKind.DELETED,
  notFound: DeleteCorruptKind.NOT_FOUND,
  readable: DeleteCorruptKind.READABLE,
} as const;

export const servingStatus = {
  unknown: ServingStatus.UNKNOWN,
  serving: ServingStatus.SERVING,
  notServing: ServingStatus.NOT_SERVING,
  serviceUnknown: ServingStatus.SERVICE_UNKNOWN,
} as const;
