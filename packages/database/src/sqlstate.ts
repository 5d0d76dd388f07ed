/**
 * What the error of a call to PostgreSQL means for the caller. Only this file reads SQLSTATEs and the driver's codes.
 *
 *   lost       the connection broke, or there was no response: the call may have been executed
 *   absent     PostgreSQL cannot be reached: nothing was executed
 *   busy       a lock or time limit: nothing was executed, the same call may succeed
 *   exhausted  PostgreSQL is out of disk, memory or connections: nothing was executed
 *   refused    these parameters can never succeed
 *   unexpected anything else
 */
export type FailureKind = 'lost' | 'absent' | 'busy' | 'exhausted' | 'refused' | 'unexpected';

const byCode: Readonly<Record<string, FailureKind>> = {
  // codes of this package
  NOT_SENT: 'absent',
  NO_PRIMARY: 'absent',
  // codes of the driver and of sockets
  CONNECTION_CLOSED: 'lost',
  CONNECTION_DESTROYED: 'lost',
  CONNECTION_ENDED: 'absent',
  CONNECT_TIMEOUT: 'absent',
  ECONNREFUSED: 'absent',
  ENOTFOUND: 'absent',
  EAI_AGAIN: 'absent',
  EHOSTUNREACH: 'absent',
  ENETUNREACH: 'absent',
  ENOENT: 'absent',
  ECONNRESET: 'lost',
  EPIPE: 'lost',
  ETIMEDOUT: 'lost',
  // an administrator, a crash of another backend or a shutdown ended the connection, perhaps after the commit
  '57P01': 'lost',
  '57P02': 'lost',
  '57P03': 'absent',
  '57P05': 'lost',
  '25P04': 'lost',
  // a standby, or a primary that is being demoted
  '25006': 'absent',
  // no replica has created the schema yet
  '3F000': 'absent',
  '42P01': 'absent',
  '42883': 'absent',
  '57014': 'busy',
  '55P03': 'busy',
};

const byClass: Readonly<Record<string, FailureKind>> = {
  '08': 'lost',
  '40': 'busy',
  '53': 'exhausted',
  '22': 'refused',
  '23': 'refused',
  '54': 'refused',
  '58': 'exhausted',
};

export function failureKind(error: unknown): FailureKind {
  const code = codeOf(error);
  return byCode[code] ?? byClass[code.slice(0, 2)] ?? 'unexpected';
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

/** Whether PostgreSQL itself cannot be reached, as opposed to an error of this call. */
export function isUnreachable(kind: FailureKind): boolean {
  return kind === 'lost' || kind === 'absent';
}
