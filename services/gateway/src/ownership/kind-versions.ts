import { fromStored, isConverted, type Kind, type Registry, resetFields, toStored } from '@tidegate/kinds';
import { fieldSet, type Version, type Versions } from '@tidegate/managed-fields';
import { copyOf, type JsonObject } from '@tidegate/schema';
import type { ResourceRequest } from '../request/resource-request.ts';

interface KindVersion extends Version {
  readonly kind: Kind;
}

const cached = new WeakMap<Kind, Map<string, Versions>>();

/** The versions of a kind in which field owners may have written its objects, for the object or a subresource. */
export function versionsOf(
  registry: Registry,
  { kind, info: { subresource }, conversions }: Pick<ResourceRequest, 'kind' | 'info' | 'conversions'>,
): Versions {
  const versions = cachedVersions(registry, kind, subresource);
  if (conversions === undefined || !isConverted(kind)) return versions;
  return {
    ...versions,
    convert: (object, from, to) => conversions.converted(object, (from as KindVersion).kind, (to as KindVersion).kind),
  };
}

function cachedVersions(registry: Registry, kind: Kind, subresource: string): Versions {
  let byPath = cached.get(kind);
  if (byPath === undefined) {
    byPath = new Map();
    cached.set(kind, byPath);
  }
  let versions = byPath.get(subresource);
  if (versions === undefined) {
    versions = findVersions(registry, kind, subresource);
    byPath.set(subresource, versions);
  }
  return versions;
}

function findVersions(registry: Registry, kind: Kind, subresource: string): Versions {
  const versionOf = (served: Kind): KindVersion => {
    const { apiVersion, schema } = served;
    const reset = resetFields(served.entry, subresource).map((path) => path.map((name) => `f:${name}`));
    return { kind: served, apiVersion, schema, reset: fieldSet(...reset) };
  };
  const { converter } = kind.entry.custom ?? {};
  // with a converter, also versions that are no longer served can appear in managedFields
  const all = converter?.versions.values() ?? registry.all().filter(({ storedAs }) => storedAs === kind.storedAs);
  const byVersion = new Map([...all].map((served) => [served.apiVersion, versionOf(served)]));
  return {
    own: byVersion.get(kind.apiVersion) ?? versionOf(kind),
    find: (apiVersion) => byVersion.get(apiVersion),
    convert: (object, from, to) => convert(object, from as KindVersion, to as KindVersion),
  };
}

function convert(object: JsonObject, { kind: from }: KindVersion, { kind: to }: KindVersion): JsonObject {
  if (from === to) return object;
  const stored = toStored(from, copyOf(object));
  return fromStored(to, stored);
}
