import { metaOf } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { type Guard, guardKind } from '@tidegate/wire';
import type { ResourceRequest } from '../gateway.ts';

/** A deleting object that nothing holds any more is removed by the change that let it go. */
export function isRemoved({ kind }: ResourceRequest, object: JsonObject): boolean {
  const meta = metaOf(object);
  if (meta.deletionTimestamp === undefined) return false;
  const hasTime = (meta.deletionGracePeriodSeconds ?? 0) > 0;
  return !(hasTime || (meta.finalizers ?? []).length > 0 || (kind.stored.entry.held?.(object) ?? false));
}

/** A namespace goes last: only when nothing is left in it. */
export function removalGuards({ kind, info }: ResourceRequest): Guard[] {
  return kind.storedAs === 'namespaces'
    ? [{ kind: guardKind.namespaceEmpty, key: { resource: kind.storedAs, namespace: '', name: info.name } }]
    : [];
}
