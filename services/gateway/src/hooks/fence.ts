import { badRequest } from '@tidegate/status';
import { type Guard, guardKind } from '@tidegate/wire';
import type { User } from '../authn/user.ts';

export const FENCE_HEADER = 'tidegate-fence';
const CONTROLLER = 'system:kube-controller-manager';

/**
 * The lease under which a system controller works, `lifecycle=7`. Its writes are refused when somebody else has the
 * lease by then. Other users have no leases here, and their header means nothing.
 */
export function fenceOf(user: User, header: string | string[] | undefined): Guard | undefined {
  if (header === undefined || user.name !== CONTROLLER || !user.groups.includes('system:masters')) return undefined;
  const [name, fence, ...rest] = String(header).split('=');
  if (!name || rest.length > 0 || !/^[1-9][0-9]{0,15}$/.test(fence ?? '')) {
    throw badRequest(`the header ${FENCE_HEADER} is a lease and its number, as in lifecycle=7`);
  }
  return { kind: guardKind.fence, key: { resource: '', namespace: '', name }, fence: Number(fence) };
}
