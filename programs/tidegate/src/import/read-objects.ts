import { UserError } from '@tidegate/local';
import { type ClusterClient, messageOf } from './cluster-client.ts';
import { collectionPath, type ServedResource } from './discover.ts';
import { type JsonObject, metadataOf } from './portable.ts';

/**
 * Reads the objects of a collection page by page, all at one version. Where that version expires during the read (410),
 * the rest is read at a newer one: with the token that the server offers, else from the beginning. Each object is
 * returned once.
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
    if (code !== 200) throw new UserError(`${path} cannot be listed (${code}): ${messageOf(body)}`);
    const items = ((body.items ?? []) as JsonObject[]).filter((item) => !given.has(metadataOf(item).uid));
    for (const item of items) given.add(metadataOf(item).uid);
    // a list has kind and apiVersion once, for all its items
    const apiVersion = resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
    yield items.map((item) => ({ apiVersion, kind: resource.kind, ...item }));
    next = continueOf(body) || undefined;
  }
}

/** Counts the objects of a collection, with one small request where the server returns the count. */
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
