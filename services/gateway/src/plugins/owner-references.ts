import { isDeepStrictEqual } from 'node:util';
import { metaOf, type OwnerReference } from '@tidegate/kinds';
import { hypotheticalRequest } from '../authz/request-attributes.ts';
import { type Admitted, type Plugin, refused } from './plugin.ts';

/**
 * Whoever says that something depends on an owner makes the garbage collector delete it one day: so they must be allowed
 * to delete it. Whoever holds up the deletion of an owner by it must be allowed to write the owner's finalizers.
 */
export const ownerReferences: Plugin = {
  name: 'OwnerReferencesPermissionEnforcement',
  concerns: ['*'],
  validate: async (admitted) => {
    const { object, old, request } = admitted;
    const [now, before] = [ownersOf(object), old === undefined ? [] : ownersOf(old)];
    if (isDeepStrictEqual(now, before)) return;
    const { info } = request;
    // who makes a thing may as well not make it
    if (old !== undefined && !(await isAllowed(admitted, { ...info, verb: 'delete' }))) {
      throw refused(admitted, "cannot set an ownerRef on a resource you can't delete");
    }
    const known = new Map(before.toReversed().map((owner) => [owner.uid, owner.blockOwnerDeletion]));
    const blocking = now.filter((owner) => owner.blockOwnerDeletion === true && known.get(owner.uid) !== true);
    const anything = { verb: 'update', group: '*', resource: '*', subresource: 'finalizers', name: '*' };
    if (blocking.length === 0 || (await isAllowed(admitted, anything))) return;
    if (blocking.length > MOST_BLOCKING) {
      const words = `metadata.ownerReferences: at most ${MOST_BLOCKING} owners with blockOwnerDeletion can be added at once`;
      throw refused(admitted, words);
    }
    for (const owner of blocking) await refuseBlocking(admitted, owner);
  },
};

/** Of each it is asked whether its finalizers may be set. */
const MOST_BLOCKING = 100;

function ownersOf(object: Admitted['object']): readonly OwnerReference[] {
  return metaOf(object).ownerReferences ?? [];
}

async function refuseBlocking(admitted: Admitted, { apiVersion, kind, name = '' }: OwnerReference): Promise<void> {
  const { lookups, request } = admitted;
  const kinds = lookups.registry.all().filter((one) => one.apiVersion === apiVersion && one.entry.kind === kind);
  if (kinds.length === 0) {
    const words = `cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}`;
    throw refused(admitted, `cannot set blockOwnerDeletion in this case because ${words}`);
  }
  for (const { entry } of kinds) {
    const { group, version, resource } = entry;
    const namespace = entry.namespaced ? request.info.namespace : '';
    const asked = { verb: 'update', group, version, resource, subresource: 'finalizers', namespace, name };
    if (await isAllowed(admitted, asked)) continue;
    const words = "an ownerReference refers to a resource you can't set finalizers on";
    throw refused(admitted, `cannot set blockOwnerDeletion if ${words}`);
  }
}

function isAllowed(
  { lookups, request }: Admitted,
  asked: Partial<Admitted['request']['info']> & { verb: string },
): Promise<boolean> {
  return lookups.authorizer.may(request.user, hypotheticalRequest({ ...asked, isResource: true }));
}
