import type { Kind, Registry } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import type { ObjectConversions, Operation, RequestNotes, RequestRecord } from '../request/resource-request.ts';
import type { User } from '../request/user.ts';

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

/** What is to be done, as those who admit it are told. */
export interface Attributes {
  /** as it was asked for */
  readonly act: Act;
  /** of the objects: the act's, or that of a subresource */
  readonly kind: Kind;
  /** as the path says; a new object says it itself */
  readonly name: string;
  readonly namespace: string;
  readonly user: User;
  /** null: it has none */
  readonly options: JsonObject | null;
  readonly isDryRun: boolean;
  /** of its objects; undefined: nobody has to be asked for them in other versions */
  readonly conversions: ObjectConversions | undefined;
  /** of the request */
  readonly record: RequestRecord | undefined;
  readonly notes: RequestNotes;
}

/** The objects of a request, as they are stored; where a webhook converts them, in the version of the request. */
export interface ReviewedObjects {
  readonly object: JsonObject | undefined;
  readonly old: JsonObject | undefined;
}
