import { isDeepStrictEqual } from 'node:util';
import { metaOf, type OwnerReference } from '@tidegate/kinds';
import { hypotheticalRequest } from '../authz/request-attributes.ts';
import { type Admitted, type Plugin, refused } from './plugin.ts';

/**
 * Setting an ownerReference requires the permission to delete the object, because the garbage collector will delete it
 * with its owner. Blocking the deletion of an owner requires the permission to update the owner's finalizers.
 */
export const ownerReferences: Plugin = {
  name: 'OwnerReferencesPermissionEnforcement',
  handles: ['*'],
  validate: async (admitted) => {
    const { object, old, request } = admitted;
    const [now, before] = [ownersOf(object), old === undefined ? [] : ownersOf(old)];
    if (isDeepStrictEqual(now, before)) return;
    const { info } = request;
    // a new object needs no permission to delete: the user could also not create it
    if (old !== undefined && !(await isAllowed(admitted, { ...info, verb: 'delete' }))) {
      throw refused(admitted, "cannot set an ownerRef on a resource you can't delete");
    }
    const known = new Map(before.toReversed().map((owner) => [owner.uid, owner.blockOwnerDeletion]));
    const blocking = now.filter((owner) => owner.blockOwnerDeletion === true && known.get(owner.uid) !== true);
    const anything = { verb: 'update', group: '*', resource: '*', subresource: 'finalizers', name: '*' };
    if (blocking.length === 0 || (await isAllowed(admitted, anything))) return;
    if (blocking.length > MAX_BLOCKING) {
      const reason = `metadata.ownerReferences: at most ${MAX_BLOCKING} owners with blockOwnerDeletion can be added at once`;
      throw refused(admitted, reason);
    }
    for (const owner of blocking) await refuseBlocking(admitted, owner);
  },
};

/** Each blocking owner needs a permission check, so their number is limited. */
const MAX_BLOCKING = 100;

function ownersOf(object: Admitted['object']): readonly OwnerReference[] {
  return metaOf(object).ownerReferences ?? [];
}

async function refuseBlocking(admitted: Admitted, { apiVersion, kind, name = '' }: OwnerReference): Promise<void> {
  const { lookups, request } = admitted;
  const kinds = lookups.registry.all().filter((one) => one.apiVersion === apiVersion && one.entry.kind === kind);
  if (kinds.length === 0) {
    const reason = `cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}`;
    throw refused(admitted, `cannot set blockOwnerDeletion in this case because ${reason}`);
  }
  for (const { entry } of kinds) {
    const { group, version, resource } = entry;
    const namespace = entry.namespaced ? request.info.namespace : '';
    const access = { verb: 'update', group, version, resource, subresource: 'finalizers', namespace, name };
    if (await isAllowed(admitted, access)) continue;
    const reason = "an ownerReference refers to a resource you can't set finalizers on";
    throw refused(admitted, `cannot set blockOwnerDeletion if ${reason}`);
  }
}

function isAllowed(
  { lookups, request }: Admitted,
  access: Partial<Admitted['request']['info']> & { verb: string },
): Promise<boolean> {
  return lookups.authorizer.may(request.user, hypotheticalRequest({ ...access, isResource: true }));
}
