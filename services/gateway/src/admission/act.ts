import type { Kind, Registry } from '@tidegate/kinds';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** What is done to objects of which kind, as rules of configurations name it. */
export interface Act {
  readonly operation: Operation;
  /** of which the resource is; its objects, unless a subresource has its own */
  readonly kind: Kind;
  readonly resource: string;
  readonly subresource: string;
}

/** The same objects in other groups and versions, in the order in which these are served. */
export function equivalents(registry: Registry, act: Act): Act[] {
  const { kind } = act;
  return registry
    .all()
    .filter((other) => other.storedAs === kind.storedAs && other.apiVersion !== kind.apiVersion)
    .filter(({ entry }) => act.subresource === '' || Object.hasOwn(entry.subresources, act.subresource))
    .map((other) => ({ ...act, kind: other, resource: other.entry.resource }));
}
