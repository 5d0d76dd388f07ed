import { qualifiedName, type ServedResource } from './discover.ts';

export interface Selection {
  /** empty: all namespaces, and objects without a namespace */
  readonly namespaces: readonly string[];
  /** empty: all resources except events */
  readonly resources: readonly string[];
}

export interface Plan {
  /** in the order of the import, each in a version that both servers know */
  readonly common: readonly ServedResource[];
  /** resources that only the source serves */
  readonly foreign: readonly ServedResource[];
  /** names in the selection that the source does not serve */
  readonly unknown: readonly string[];
}

/** other objects depend on these, so they are imported first */
const FIRST = ['namespaces', 'customresourcedefinitions.apiextensions.k8s.io'];
/** events describe the past of the source, and expire within an hour */
const LEFT_OUT = ['events', 'events.events.k8s.io'];

/** Decides which resources are read from the source, and in which version. */
export function planImport(
  source: readonly ServedResource[],
  target: readonly ServedResource[],
  selection: Selection,
): Plan {
  const served = new Set(target.map(placeOf));
  const chosen = new Map<string, ServedResource>();
  for (const resource of source) {
    const name = qualifiedName(resource);
    const before = chosen.get(name);
    if (!isSelected(resource, selection)) continue;
    if (before === undefined || (!served.has(placeOf(before)) && served.has(placeOf(resource)))) {
      chosen.set(name, resource);
    }
  }
  const rank = (resource: ServedResource): number => {
    const at = FIRST.indexOf(qualifiedName(resource));
    return at < 0 ? FIRST.length : at;
  };
  const all = [...chosen.values()].sort((a, b) => rank(a) - rank(b));
  const names = new Set(source.flatMap((resource) => [resource.name, qualifiedName(resource)]));
  return {
    common: all.filter((resource) => served.has(placeOf(resource))),
    foreign: all.filter((resource) => !served.has(placeOf(resource))),
    unknown: selection.resources.filter((name) => !names.has(name)),
  };
}

function isSelected(resource: ServedResource, { namespaces, resources }: Selection): boolean {
  const name = qualifiedName(resource);
  if (name === 'namespaces') return true;
  if (resources.length > 0) return resources.includes(name) || resources.includes(resource.name);
  return !LEFT_OUT.includes(name) && (resource.namespaced || namespaces.length === 0);
}

function placeOf(resource: ServedResource): string {
  return `${qualifiedName(resource)}/${resource.version}`;
}
