import type { FailureKind } from '@tidegate/database';
import { serviceUnavailable } from '@tidegate/status';

/** The reason for clients, with PostgreSQL's own message. */
export function reasonOf(kind: FailureKind, text: string): string {
  if (kind === 'exhausted') return `the storage has no room: ${text}`;
  if (kind === 'busy') return 'the storage is busy, please try again';
  return `the storage cannot be reached: ${text}`;
}

/** The error of a call that PostgreSQL did not execute. */
export function unavailableError(kind: FailureKind, error: unknown): Error {
  return serviceUnavailable(reasonOf(kind, error instanceof Error ? error.message : String(error)));
}
