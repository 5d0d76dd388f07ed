import type { Kind, Registry } from '@tidegate/kinds';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** What is done to objects of which kind, as rules of configurations name it. */
export interface Place {
  readonly operation: Operation;
  /** of which the resource is; its objects, unless a subresource has its own */
  readonly kind: Kind;
  readonly resource: string;
  readonly subresource: string;
}

/** The same objects in other groups and versions, in the order in which these are served. */
export function equivalents(registry: Registry, place: Place): Place[] {
  const { kind } = place;
  return registry
    .all()
    .filter((other) => other.storedAs === kind.storedAs && other.apiVersion !== kind.apiVersion)
    .filter(({ entry }) => place.subresource === '' || Object.hasOwn(entry.subresources, place.subresource))
    .map((other) => ({ ...place, kind: other, resource: other.entry.resource }));
}
