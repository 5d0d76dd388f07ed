import { createHash } from 'node:crypto';
import { type Kind, type KindEntry, type Registry, storageOf } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';

/** /api: the versions of the core group. */
export function coreVersions(): JsonObject {
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
}

/** /apis: every named group. */
export function groupList(registry: Registry): JsonObject {
  const groups = [...groupVersions(registry)]
    .filter(([group]) => group !== '')
    .map(([group, versions]) => groupOf(group, versions));
  return { kind: 'APIGroupList', apiVersion: 'v1', groups };
}

/** /apis/GROUP; undefined when there is no such group. */
export function oneGroup(registry: Registry, group: string): JsonObject | undefined {
  const versions = groupVersions(registry).get(group);
  return versions === undefined ? undefined : { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(group, versions) };
}

function groupOf(group: string, versions: readonly string[]): JsonObject {
  const all = versions.map((version) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions: all, preferredVersion: all[0] ?? {} };
}

function groupVersions(registry: Registry): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { entry } of registry.all()) {
    const versions = groups.get(entry.group) ?? [];
    if (!versions.includes(entry.version)) versions.push(entry.version);
    groups.set(entry.group, versions);
  }
  return groups;
}

/** /api/v1, /apis/GROUP/VERSION: what is served there; undefined when nothing is. */
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

/** By it a client sees that objects are stored in another version than before, without knowing which. */
function hashOf({ group, version, kind }: KindEntry): string {
  return createHash('sha256').update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString('base64');
}

/** Group and version are said where they are not those of the resource. */
function kindBeside({ group, version, kind }: KindEntry, main: KindEntry): JsonObject {
  return group === main.group && version === main.version ? { kind } : { group, version, kind };
}

function groupVersionKind({ group, version, kind }: KindEntry): JsonObject {
  return { group, version, kind };
}

/** The aggregated form of discovery: everything in one document. */
export function aggregated(registry: Registry, core: boolean): JsonObject {
  const items = [...groupVersions(registry)]
    .filter(([group]) => (group === '') === core)
    .map(([group, versions]) => ({
      metadata: { name: group, creationTimestamp: null },
      versions: versions.map((version) => ({
        version,
        freshness: 'Current',
        resources: registry
          .all()
          .filter(({ entry }) => entry.group === group && entry.version === version)
          .map(aggregatedResource),
      })),
    }));
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
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
