import { type TestTidegate, until } from '@tidegate/testkit';
import type { Client } from './client.ts';

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly resourceVersion: string;
  readonly finalizers?: readonly string[];
}

export interface StoredObject {
  readonly path: string;
  readonly metadata: Metadata;
}

interface Discovered {
  readonly resource: string;
  readonly scope: string;
  readonly verbs: readonly string[];
}

interface GroupDiscovery {
  readonly metadata: { readonly name?: string };
  readonly versions: ReadonlyArray<{ readonly version: string; readonly resources?: readonly Discovered[] }>;
}

interface Collection {
  /** path of its group and version */
  readonly base: string;
  readonly resource: string;
  /** RESOURCE.GROUP */
  readonly kind: string;
}

const DISCOVERY = { Accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' };
const METADATA = { Accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' };

/** All objects of a system. */
export interface Contents {
  /** every object, by its path */
  readonly objects: ReadonlyMap<string, StoredObject>;
  /** collections that cannot be read, for example because a conversion fails */
  readonly unreadable: readonly string[];
}

/** Lists only kinds with objects, according to the counts of the watch service. */
export async function readContents(client: Client, tidegate: TestTidegate): Promise<Contents> {
  const counted = await countedKinds(client, tidegate);
  const objects = new Map<string, StoredObject>();
  const unreadable: string[] = [];
  const read = async ({ base, resource }: Collection) => {
    const { code, json } = await client.get(`${base}/${resource}`, METADATA);
    // the definition may be deleted by now
    if (code === 404) return;
    if (code !== 200) return void unreadable.push(`${base}/${resource}: ${code} ${json?.message}`);
    for (const { metadata } of json.items as ReadonlyArray<{ metadata: Metadata }>) {
      const place = metadata.namespace === undefined ? base : `${base}/namespaces/${metadata.namespace}`;
      const path = `${place}/${resource}/${metadata.name}`;
      objects.set(path, { path, metadata });
    }
  };
  // one after another on one connection, because each further connection needs a handshake
  for (const collection of await collectionsOf(client)) {
    if (counted.delete(collection.kind)) await read(collection);
  }
  return { objects, unreadable: [...unreadable, ...[...counted].map((kind) => `${kind}, which is not served`)] };
}

const COUNT = /^apiserver_resource_objects\{group="(.*)",resource="(.*)"\} ([1-9]\d*)$/gm;

/** The kinds that have objects now, as RESOURCE.GROUP. */
async function countedKinds(client: Client, tidegate: TestTidegate): Promise<Set<string>> {
  const { json } = await client.get('/api/v1/namespaces?limit=1', METADATA);
  const text = await until('the watch service to receive all writes', async () => {
    const now = await (await fetch(`http://${tidegate.part('watch').opsAddress}/metrics`)).text();
    const [, revision] = /^tidegate_watch_revision (\d+)$/m.exec(now) ?? [];
    return Number(revision) >= Number(json.metadata.resourceVersion) ? now : undefined;
  });
  return new Set([...text.matchAll(COUNT)].map(([, group, resource]) => `${resource}.${group}`));
}

/** Each kind once, in one of its versions. */
async function collectionsOf(client: Client): Promise<Collection[]> {
  const found: Collection[] = [];
  for (const root of ['/api', '/apis']) {
    const { json } = await client.get(root, DISCOVERY);
    for (const { metadata, versions } of json.items as readonly GroupDiscovery[]) {
      const seen = new Set<string>();
      for (const { version, resources = [] } of versions) {
        const base = metadata.name ? `${root}/${metadata.name}/${version}` : `${root}/${version}`;
        for (const { resource, verbs } of resources) {
          if (seen.has(resource) || !verbs.includes('list') || !verbs.includes('delete')) continue;
          seen.add(resource);
          found.push({ base, resource, kind: `${resource}.${metadata.name ?? ''}` });
        }
      }
    }
  }
  return found;
}
