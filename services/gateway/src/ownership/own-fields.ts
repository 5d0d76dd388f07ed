import { fromStored, type Kind, metaOf, type Registry } from '@tidegate/kinds';
import {
  emptyObject,
  NO_OWNERS,
  type Owners,
  ownUpdate,
  readOwners,
  UnidentifiedItem,
  writeOwners,
} from '@tidegate/managed-fields';
import { copyOf, isJsonObject, type Json, type JsonObject, printTime } from '@tidegate/schema';
import type { ResourceRequest } from '../request/resource-request.ts';
import { fieldManager } from '../request/write-options.ts';
import { versionsOf } from './kind-versions.ts';

/** Sets the field owners of a new object: its author, and the owners in the sent managedFields. */
export function ownCreated(registry: Registry, request: ResourceRequest, object: JsonObject): void {
  const owners = sentOwners(metaOf(object).managedFields) ?? NO_OWNERS;
  const old = emptyObject(request.kind.schema);
  setOwners(object, ownersAfter(registry, request, { old, next: withoutOwners(request.kind, object), owners }));
}

/** Sets the field owners of a changed object: its author owns the fields that differ. */
export function ownChanged(registry: Registry, request: ResourceRequest, next: JsonObject, old: JsonObject): void {
  const sent = metaOf(next).managedFields;
  // a subresource changes only its own part, so sent managedFields are ignored
  const isWhole = request.info.subresource === '';
  const owners = (isWhole ? sentOwners(sent) : undefined) ?? liveOwners(old);
  // an object without managedFields stays untracked until the first apply
  setOwners(
    next,
    owners.size === 0
      ? NO_OWNERS
      : ownersAfter(registry, request, {
          old: withoutOwners(request.kind, old),
          next: withoutOwners(request.kind, next),
          owners,
        }),
  );
}

/** The owners in an object's managedFields. */
export function liveOwners(object: JsonObject): Owners {
  try {
    return readOwners(metaOf(object).managedFields);
  } catch {
    // malformed stored managedFields are dropped (an Error of readOwners)
    return NO_OWNERS;
  }
}

export function setOwners(object: JsonObject, owners: Owners): void {
  const meta = metaOf(object);
  if (owners.size === 0) delete meta.managedFields;
  else meta.managedFields = writeOwners(owners);
}

/** The object without managedFields, in the version of a request. */
export function withoutOwners(kind: Kind, stored: JsonObject): JsonObject {
  if (!isJsonObject(stored.metadata)) return stored;
  const { managedFields, ...metadata } = stored.metadata;
  const object = { ...stored, metadata };
  return kind.stored === kind ? object : fromStored(kind, copyOf(object));
}

/**
 * The owners that a client sent. undefined: malformed, so the known owners are kept. An empty list, or a list of one
 * empty entry, resets them.
 */
function sentOwners(sent: Json | undefined): Owners | undefined {
  if (!Array.isArray(sent)) return undefined;
  const [first] = sent;
  if (first === undefined || (sent.length === 1 && isJsonObject(first) && Object.keys(first).length === 0))
    return NO_OWNERS;
  try {
    const owners = readOwners(sent);
    return owners.size === 0 ? undefined : owners;
  } catch {
    // malformed sent managedFields are ignored (an Error of readOwners)
    return undefined;
  }
}

/** The old and the new state, in the version of the request. */
interface Update {
  readonly old: JsonObject;
  readonly next: JsonObject;
  readonly owners: Owners;
}

function ownersAfter(registry: Registry, request: ResourceRequest, { old, next, owners }: Update): Owners {
  const { info } = request;
  try {
    return ownUpdate({
      versions: versionsOf(registry, request),
      old,
      next,
      owners,
      author: { manager: fieldManager(request), subresource: info.subresource },
      time: printTime(),
    });
  } catch (error) {
    // lists with ambiguous items cannot have owners; the change is accepted anyway
    if (error instanceof UnidentifiedItem) return NO_OWNERS;
    throw error;
  }
}
