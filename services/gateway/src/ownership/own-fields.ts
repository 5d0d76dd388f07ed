import { fromStored, type Kind, metaOf, type Registry } from '@tidegate/kinds';
import {
  emptyObject,
  Nameless,
  NOBODY,
  type Owners,
  ownUpdate,
  readOwners,
  writeOwners,
} from '@tidegate/managed-fields';
import { isJsonObject, type Json, type JsonObject, printTime } from '@tidegate/schema';
import type { ResourceRequest } from '../request/resource-request.ts';
import { fieldManager } from '../request/write-options.ts';
import { versionsOf } from './kind-versions.ts';

/** Sets whose the fields of a new object are: its author's, beside those whom the object itself names. */
export function ownCreated(registry: Registry, request: ResourceRequest, object: JsonObject): void {
  const owners = sentOwners(metaOf(object).managedFields) ?? NOBODY;
  const old = emptyObject(request.kind.schema);
  setOwners(object, ownersAfter(registry, request, { old, next: withoutOwners(request.kind, object), owners }));
}

/** Sets whose the fields of a changed object are: its author's are those that differ. */
export function ownChanged(registry: Registry, request: ResourceRequest, next: JsonObject, old: JsonObject): void {
  const sent = metaOf(next).managedFields;
  // through a path of its own only its own part is changed
  const isWhole = request.info.subresource === '';
  const owners = (isWhole ? sentOwners(sent) : undefined) ?? liveOwners(old);
  // whose the fields of an object are that was never watched, only an apply begins to ask
  setOwners(
    next,
    owners.size === 0
      ? NOBODY
      : ownersAfter(registry, request, {
          old: withoutOwners(request.kind, old),
          next: withoutOwners(request.kind, next),
          owners,
        }),
  );
}

/** Whom an object names as its owners. */
export function liveOwners(object: JsonObject): Owners {
  try {
    return readOwners(metaOf(object).managedFields);
  } catch {
    // an Error of readOwners: what is stored has no form, and is begun anew
    return NOBODY;
  }
}

export function setOwners(object: JsonObject, owners: Owners): void {
  const meta = metaOf(object);
  if (owners.size === 0) delete meta.managedFields;
  else meta.managedFields = writeOwners(owners);
}

/** Its fields without those that say whose they are, in the version of a request. */
export function withoutOwners(kind: Kind, stored: JsonObject): JsonObject {
  if (!isJsonObject(stored.metadata)) return stored;
  const { managedFields, ...metadata } = stored.metadata;
  const object = { ...stored, metadata };
  return kind.stored === kind ? object : fromStored(kind, structuredClone(object));
}

/**
 * undefined: the client says nothing that could be meant, so what is known is kept. An empty list, or one empty entry, asks
 * for a new beginning.
 */
function sentOwners(sent: Json | undefined): Owners | undefined {
  if (!Array.isArray(sent)) return undefined;
  const [first] = sent;
  if (first === undefined || (sent.length === 1 && isJsonObject(first) && Object.keys(first).length === 0))
    return NOBODY;
  try {
    const owners = readOwners(sent);
    return owners.size === 0 ? undefined : owners;
  } catch {
    // an Error of readOwners: what is sent has no form, and is not taken
    return undefined;
  }
}

/** Two states in the version of the request. */
interface Step {
  readonly old: JsonObject;
  readonly next: JsonObject;
  readonly owners: Owners;
}

function ownersAfter(registry: Registry, request: ResourceRequest, { old, next, owners }: Step): Owners {
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
    // lists whose items cannot be told apart have no owners, and are no reason to refuse a change
    if (error instanceof Nameless) return NOBODY;
    throw error;
  }
}
