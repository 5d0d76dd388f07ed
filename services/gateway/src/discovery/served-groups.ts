import { type ApiPriority, compareVersions, localPriority, REGISTRATION_GROUP, type Registry } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import type { Document } from './document.ts';

/** The discovery of a group version that a remote server serves. */
export interface RemoteVersion {
  readonly group: string;
  readonly version: string;
  /** in the aggregated form of discovery */
  readonly entry: JsonObject;
  /** undefined where the server has none */
  readonly openApi: { readonly document: Document | undefined; readonly protobuf: Document | undefined };
}

/** Remote group versions, and the priorities of all group versions. */
export interface ServedElsewhere {
  /** changes with every change of the content */
  readonly revision: number;
  readonly versions: Iterable<RemoteVersion>;
  /** undefined where no APIService sets it */
  priority(group: string, version: string): ApiPriority | undefined;
}

/** No remote servers. */
export const NOTHING_ELSEWHERE: ServedElsewhere = { revision: 0, versions: [], priority: () => undefined };

/** A served group version; `remote` is set when a remote server serves it. */
export interface ServedVersion {
  readonly version: string;
  readonly remote: RemoteVersion | undefined;
}

export interface ServedGroup {
  readonly group: string;
  /** the preferred one first */
  readonly versions: readonly ServedVersion[];
}

interface Placed extends ServedVersion {
  readonly group: string;
  readonly priority: ApiPriority;
}

/**
 * All groups in Kubernetes' order: by the highest priority of their versions, and the versions by their own. Ties are
 * broken differently in the two forms of discovery: the plain form uses the names of APIServices, which begin with the
 * version.
 */
export function servedGroups(
  registry: Registry,
  elsewhere: ServedElsewhere,
  form: 'plain' | 'aggregated',
): ServedGroup[] {
  const groups = Map.groupBy(placed(registry, elsewhere), ({ group }) => group);
  const ranked = [...groups].map(([group, versions]) => {
    const highest = Math.max(...versions.map(({ priority }) => priority.group));
    const named = versions.filter(({ priority }) => priority.group === highest).map(({ version }) => version);
    const name = form === 'plain' ? `${named.sort()[0]}.${group}` : group;
    return { group, versions: versions.toSorted(byVersion), highest, name };
  });
  return ranked.sort((a, b) => b.highest - a.highest || (a.name < b.name ? -1 : 1));
}

function placed(registry: Registry, elsewhere: ServedElsewhere): Placed[] {
  const found = new Map<string, Placed>();
  const place = (group: string, version: string, remote: RemoteVersion | undefined) => {
    const priority = priorityOf(elsewhere, group, version);
    found.set(`${group}/${version}`, { group, version, remote, priority });
  };
  for (const { entry } of registry.all()) place(entry.group, entry.version, undefined);
  // a registered remote server takes precedence
  for (const remote of elsewhere.versions) place(remote.group, remote.version, remote);
  return [...found.values()];
}

function priorityOf(elsewhere: ServedElsewhere, group: string, version: string): ApiPriority {
  // the group of APIServices comes first, because all others depend on it
  if (group === REGISTRATION_GROUP) return { group: Number.POSITIVE_INFINITY, version: 1 };
  return elsewhere.priority(group, version) ?? localPriority(group, version);
}

function byVersion(a: Placed, b: Placed): number {
  return b.priority.version - a.priority.version || compareVersions(a.version, b.version);
}
