import { type ApiPriority, compareVersions, localPriority, REGISTRATION_GROUP, type Registry } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import type { Document } from './document.ts';

/** A group version that another server serves, as it says itself. */
export interface RemoteVersion {
  readonly group: string;
  readonly version: string;
  /** in the aggregated form of discovery */
  readonly entry: JsonObject;
  /** undefined where it has none */
  readonly openApi: { readonly document: Document | undefined; readonly protobuf: Document | undefined };
}

/** What there is beside the registry: group versions of others, and the order of all. */
export interface ServedElsewhere {
  /** it is another one whenever any of it is */
  readonly revision: number;
  readonly versions: Iterable<RemoteVersion>;
  /** undefined where nobody has said anything of it */
  priority(group: string, version: string): ApiPriority | undefined;
}

/** Where there is but one server. */
export const NOTHING_ELSEWHERE: ServedElsewhere = { revision: 0, versions: [], priority: () => undefined };

/** A group version that is served, by this server or, where there is a remote one, by another. */
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
 * All groups in Kubernetes' order: by the highest priority of their versions, and the versions of each by theirs. What
 * breaks a tie differs between the forms of discovery: APIServices go by their names, which begin with the version.
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
  // who is registered for it has it
  for (const remote of elsewhere.versions) place(remote.group, remote.version, remote);
  return [...found.values()];
}

function priorityOf(elsewhere: ServedElsewhere, group: string, version: string): ApiPriority {
  // it is how all others are put right, and so comes before them
  if (group === REGISTRATION_GROUP) return { group: Number.POSITIVE_INFINITY, version: 1 };
  return elsewhere.priority(group, version) ?? localPriority(group, version);
}

function byVersion(a: Placed, b: Placed): number {
  return b.priority.version - a.priority.version || compareVersions(a.version, b.version);
}
