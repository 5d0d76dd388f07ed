import { Trouble } from '@tidegate/local';
import { type ClusterClient, messageOf } from './cluster-client.ts';
import { collectionPath, type ServedResource } from './discover.ts';
import { type JsonObject, metadataOf } from './portable.ts';

/**
 * The objects of a collection, a page at a time, all as of one version. Where that version is given up while it is read
 * (410), the rest comes as of a newer one: by the token that the server offers, else from the beginning. Each object is
 * given once.
 */
export async function* readObjects(
  client: ClusterClient,
  resource: ServedResource,
  { namespace, limit }: { namespace: string; limit: number },
): AsyncGenerator<JsonObject[]> {
  const path = collectionPath(resource, namespace);
  const given = new Set<unknown>();
  let next: string | undefined = '';
  while (next !== undefined) {
    const query = next === '' ? '' : `&continue=${encodeURIComponent(next)}`;
    const { code, body } = await client.ask('GET', `${path}?limit=${limit}${query}`);
    if (code === 410 && next !== '') {
      next = continueOf(body);
      continue;
    }
    if (code !== 200) throw new Trouble(`${path} cannot be listed (${code}): ${messageOf(body)}`);
    const items = ((body.items ?? []) as JsonObject[]).filter((item) => !given.has(metadataOf(item).uid));
    for (const item of items) given.add(metadataOf(item).uid);
    // a list says once for all of its items what they are
    const apiVersion = resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
    yield items.map((item) => ({ apiVersion, kind: resource.kind, ...item }));
    next = continueOf(body) || undefined;
  }
}

/** How many there are, by one small question where the server tells. */
export async function countObjects(
  client: ClusterClient,
  resource: ServedResource,
  namespace: string,
): Promise<number> {
  const { code, body } = await client.ask('GET', `${collectionPath(resource, namespace)}?limit=1`);
  if (code !== 200) return 0;
  return ((body.items ?? []) as unknown[]).length + Number(metadataOf(body).remainingItemCount ?? 0);
}

function continueOf(body: JsonObject): string {
  const token = metadataOf(body).continue;
  return typeof token === 'string' ? token : '';
}
