import { randomUUID } from 'node:crypto';
import { badRequest } from '@tidegate/status';
import { type Guard, guardKind } from '@tidegate/wire';
import type { User } from './user.ts';

export const FENCE_HEADER = 'tidegate-fence';
const CONTROLLER = 'system:kube-controller-manager';

/** Whether the user is the system's controller manager. The lease header of all others is ignored. */
export function isSystemController({ name, groups }: User): boolean {
  return name === CONTROLLER && groups.includes('system:masters');
}

/**
 * The lease under which a system controller writes, as in `lifecycle=7`. Its writes are rejected if another process
 * holds the lease by then.
 */
export function fenceOf(user: User, header: string | string[] | undefined): Guard | undefined {
  if (header === undefined || !isSystemController(user)) return undefined;
  const [name, fence, ...rest] = String(header).split('=');
  if (!name || rest.length > 0 || !/^[1-9][0-9]{0,15}$/.test(fence ?? '')) {
    throw badRequest(`the header ${FENCE_HEADER} must have a lease and its number, as in lifecycle=7`);
  }
  return { kind: guardKind.fence, key: { resource: '', namespace: '', name }, fence: Number(fence) };
}

/** The ID of a request in answers, logs and audit: that of the client if it is well-formed, else a new one. */
export function auditId(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\x21-\x7e]{1,64}$/.test(given) ? given : randomUUID();
}
