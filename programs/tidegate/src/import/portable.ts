export type JsonObject = { [name: string]: unknown };

export interface OwnerReference extends JsonObject {
  readonly uid: string;
  readonly kind: string;
  readonly name: string;
}

/** the fields of metadata that the source has set, and that the target must set itself */
const SERVERS_OWN = [
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'selfLink',
  'generation',
] as const;

export function metadataOf(object: JsonObject): JsonObject {
  const { metadata } = object;
  return typeof metadata === 'object' && metadata !== null ? (metadata as JsonObject) : {};
}

export function ownersOf(object: JsonObject): OwnerReference[] {
  const { ownerReferences } = metadataOf(object);
  return Array.isArray(ownerReferences) ? (ownerReferences as OwnerReference[]) : [];
}

/**
 * An object as its author wrote it, without its status, which the controllers of the source have written. Owners have
 * their new uids; owners without a new uid are left out.
 */
export function portable(object: JsonObject, newUids: ReadonlyMap<string, string>): JsonObject {
  const { status: _, ...rest } = withoutAddresses(object);
  const metadata: JsonObject = { ...metadataOf(object) };
  for (const name of SERVERS_OWN) delete metadata[name];
  const owners = ownersOf(object).flatMap((owner) => {
    const uid = newUids.get(owner.uid);
    return uid === undefined ? [] : [{ ...owner, uid }];
  });
  if (owners.length > 0) metadata.ownerReferences = owners;
  else delete metadata.ownerReferences;
  return { ...rest, metadata };
}

/** Removes cluster IPs, which belong to the range of the source. A headless Service stays headless. */
function withoutAddresses(object: JsonObject): JsonObject {
  const spec = object.spec as JsonObject | undefined;
  if (object.kind !== 'Service' || object.apiVersion !== 'v1' || !spec?.clusterIP || spec.clusterIP === 'None')
    return object;
  const { clusterIP: _ip, clusterIPs: _ips, ipFamilies: _families, ...rest } = spec;
  return { ...object, spec: rest };
}
