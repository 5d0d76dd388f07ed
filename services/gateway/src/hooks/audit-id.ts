import { randomUUID } from 'node:crypto';

/** The name of a request in answers, logs and audit: the client's own when it is a sane one. */
export function auditId(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\x21-\x7e]{1,64}$/.test(given) ? given : randomUUID();
}
