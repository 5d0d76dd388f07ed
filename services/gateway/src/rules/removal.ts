import { type Kind, metaOf } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { type Guard, guardKind } from '@tidegate/wire';
import type { ResourceRequest } from '../request/resource-request.ts';

/** A deleting object that nothing holds any more is removed by the change that let it go. */
export function isRemoved({ kind }: ResourceRequest, object: JsonObject): boolean {
  const meta = metaOf(object);
  if (meta.deletionTimestamp === undefined) return false;
  const hasTime = (meta.deletionGracePeriodSeconds ?? 0) > 0;
  return !(hasTime || (meta.finalizers ?? []).length > 0 || (kind.stored.entry.held?.(object) ?? false));
}

/**
 * A namespace goes last: only when nothing is left in it. A user who takes its finalizers away wants it to go as it is;
 * what is left is deleted afterwards.
 */
export function removalGuards({ kind, info, fence }: ResourceRequest): Guard[] {
  if (info.subresource === 'finalize' && fence === undefined) return [];
  return emptinessGuard(kind, info.name);
}

/** Nothing is left in a namespace of this name. */
export function emptinessGuard({ storedAs: resource }: Kind, name: string): Guard[] {
  return resource === 'namespaces' ? [{ kind: guardKind.namespaceEmpty, key: { resource, namespace: '', name } }] : [];
}
