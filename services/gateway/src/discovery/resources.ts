import { createHash } from 'node:crypto';
import { type Kind, type KindEntry, type Registry, storageOf } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { type ServedElsewhere, type ServedGroup, type ServedVersion, servedGroups } from './served-groups.ts';

/** /api: the versions of the core group. */
export function coreVersions(serverAddress: string): JsonObject {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

/** /apis: every named group. */
export function groupList(registry: Registry, elsewhere: ServedElsewhere): JsonObject {
  const groups = servedGroups(registry, elsewhere, 'plain')
    .filter(({ group }) => group !== '')
    .map(groupOf);
  return { kind: 'APIGroupList', apiVersion: 'v1', groups };
}

/** /apis/GROUP; undefined when there is no such group. */
export function oneGroup(registry: Registry, elsewhere: ServedElsewhere, name: string): JsonObject | undefined {
  const found = servedGroups(registry, elsewhere, 'plain').find(({ group }) => group === name);
  return found && { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(found) };
}

function groupOf({ group, versions }: ServedGroup): JsonObject {
  const all = versions.map(({ version }) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions: all, preferredVersion: all[0] ?? {} };
}

/** /api/v1, /apis/GROUP/VERSION: the resources of a group version; undefined when it is not served. */
export function resourceList(registry: Registry, group: string, version: string): JsonObject | undefined {
  const kinds = registry.all().filter(({ entry }) => entry.group === group && entry.version === version);
  const [first] = kinds;
  if (first === undefined) return undefined;
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: first.apiVersion,
    resources: kinds.flatMap(resourcesOf),
  };
}

function resourcesOf(served: Kind): JsonObject[] {
  const { entry } = served;
  const { resource, singular, namespaced, kind, shortNames, categories } = entry;
  return [
    {
      name: resource,
      singularName: singular,
      namespaced,
      kind,
      verbs: [...entry.verbs],
      ...(shortNames.length === 0 ? {} : { shortNames: [...shortNames] }),
      ...(categories.length === 0 ? {} : { categories: [...categories] }),
      ...(entry.verbs.includes('get') ? { storageVersionHash: hashOf(storageOf(served).entry) } : {}),
    },
    ...Object.entries(entry.subresources).map(([name, sub]) => ({
      name: `${resource}/${name}`,
      singularName: '',
      namespaced,
      ...(sub.entry === undefined ? { kind } : kindBeside(sub.entry, entry)),
      verbs: [...sub.verbs],
    })),
  ];
}

/** A hash that changes with the storage version, without revealing it. */
function hashOf({ group, version, kind }: KindEntry): string {
  return createHash('sha256').update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString('base64');
}

/** Group and version are set only where they differ from the resource's. */
function kindBeside({ group, version, kind }: KindEntry, main: KindEntry): JsonObject {
  return group === main.group && version === main.version ? { kind } : { group, version, kind };
}

function groupVersionKind({ group, version, kind }: KindEntry): JsonObject {
  return { group, version, kind };
}

/** The aggregated form of discovery: everything in one document. */
export function aggregated(registry: Registry, elsewhere: ServedElsewhere, core: boolean): JsonObject {
  const items = servedGroups(registry, elsewhere, 'aggregated')
    .filter(({ group }) => (group === '') === core)
    .map(({ group, versions }) => ({
      metadata: { name: group, creationTimestamp: null },
      versions: versions.map((one) => aggregatedVersion(registry, group, one)),
    }));
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
}

function aggregatedVersion(registry: Registry, group: string, { version, remote }: ServedVersion): JsonObject {
  if (remote !== undefined) return remote.entry;
  const kinds = registry.all().filter(({ entry }) => entry.group === group && entry.version === version);
  return { version, freshness: 'Current', resources: kinds.map(aggregatedResource) };
}

function aggregatedResource({ entry }: Kind): JsonObject {
  const subresources = Object.entries(entry.subresources).map(([subresource, { verbs, entry: own }]) => ({
    subresource,
    responseKind: groupVersionKind(own ?? entry),
    verbs: [...verbs],
  }));
  return {
    resource: entry.resource,
    responseKind: groupVersionKind(entry),
    scope: entry.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: entry.singular,
    verbs: [...entry.verbs],
    ...(entry.shortNames.length === 0 ? {} : { shortNames: [...entry.shortNames] }),
    ...(entry.categories.length === 0 ? {} : { categories: [...entry.categories] }),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}
