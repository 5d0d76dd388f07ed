export type JsonObject = { [name: string]: unknown };

export interface OwnerReference extends JsonObject {
  readonly uid: string;
  readonly kind: string;
  readonly name: string;
}

/** What the server that an object comes from has given it, and another must give anew. */
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
 * An object as its author wrote it. Status belongs to the controllers of the cluster that it came from. Owners are named
 * by their new uids; those that have none are left out.
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

/** Cluster IPs are of the range of the cluster that gave them. A headless Service stays one. */
function withoutAddresses(object: JsonObject): JsonObject {
  const spec = object.spec as JsonObject | undefined;
  if (object.kind !== 'Service' || object.apiVersion !== 'v1' || !spec?.clusterIP || spec.clusterIP === 'None')
    return object;
  const { clusterIP: _ip, clusterIPs: _ips, ipFamilies: _families, ...rest } = spec;
  return { ...object, spec: rest };
}
