import type { ClusterClient } from './cluster-client.ts';
import type { JsonObject } from './portable.ts';

/** A collection that supports list and create. */
export interface ServedResource {
  readonly group: string;
  readonly version: string;
  /** the plural, as in paths */
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

interface ResourceFacts extends JsonObject {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs?: readonly string[];
}

/** Lists the resources that a server serves; in each group the preferred version comes first. */
export async function discover(client: ClusterClient): Promise<ServedResource[]> {
  const versions = ((await client.get('/api')).versions ?? []) as string[];
  const groups = ((await client.get('/apis')).groups ?? []) as Array<{
    name: string;
    versions: Array<{ version: string }>;
    preferredVersion?: { version: string };
  }>;
  const places = versions.map((version) => ({ group: '', version }));
  for (const { name: group, versions: all, preferredVersion } of groups) {
    const names = new Set(
      [...(preferredVersion === undefined ? [] : [preferredVersion]), ...all].map((v) => v.version),
    );
    for (const version of names) places.push({ group, version });
  }
  const lists = await Promise.all(places.map((place) => resourcesAt(client, place)));
  return lists.flat();
}

/** Leaves out a group whose server cannot be reached, because it cannot be read either. */
async function resourcesAt(
  client: ClusterClient,
  place: { group: string; version: string },
): Promise<ServedResource[]> {
  const { code, body } = await client.ask('GET', placePath(place));
  if (code !== 200) return [];
  return ((body.resources ?? []) as ResourceFacts[])
    .filter(({ name, verbs = [] }) => !name.includes('/') && verbs.includes('list') && verbs.includes('create'))
    .map(({ name, kind, namespaced }) => ({ ...place, name, kind, namespaced }));
}

export function placePath({ group, version }: { group: string; version: string }): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

export function collectionPath(resource: ServedResource, namespace = ''): string {
  const inside = namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${placePath(resource)}${inside}/${resource.name}`;
}

/** The usual name: `configmaps`, `deployments.apps`. */
export function qualifiedName({ name, group }: Pick<ServedResource, 'name' | 'group'>): string {
  return group === '' ? name : `${name}.${group}`;
}
