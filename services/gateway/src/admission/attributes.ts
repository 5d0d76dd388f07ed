import type { Kind, Registry } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import type { ObjectConversions, Operation, RequestNotes, RequestRecord } from '../request/resource-request.ts';
import type { User } from '../request/user.ts';

/** An operation on a resource, in the terms of admission rules. */
export interface RuleTarget {
  readonly operation: Operation;
  /** the kind of the resource; the objects have this kind unless a subresource has its own */
  readonly kind: Kind;
  readonly resource: string;
  readonly subresource: string;
}

/** The same operation on the same objects in other groups and versions, in the order in which these are served. */
export function equivalentTargets(registry: Registry, target: RuleTarget): RuleTarget[] {
  const { kind } = target;
  return registry
    .all()
    .filter((other) => other.storedAs === kind.storedAs && other.apiVersion !== kind.apiVersion)
    .filter(({ entry }) => target.subresource === '' || Object.hasOwn(entry.subresources, target.subresource))
    .map((other) => ({ ...target, kind: other, resource: other.entry.resource }));
}

/** What webhooks and policies learn about a request, except its objects. */
export interface Attributes {
  /** as the client requested it */
  readonly target: RuleTarget;
  /** of the objects: the target's kind, or that of a subresource */
  readonly kind: Kind;
  /** the name in the path; empty for a new object, which has its name in its metadata */
  readonly name: string;
  readonly namespace: string;
  readonly user: User;
  /** null: the operation has no options */
  readonly options: JsonObject | null;
  readonly isDryRun: boolean;
  /** converts the objects; undefined: no conversion webhook is needed */
  readonly conversions: ObjectConversions | undefined;
  /** the audit record of the request */
  readonly record: RequestRecord | undefined;
  readonly notes: RequestNotes;
}

/** The objects of a request in the stored version, or in the version of the request where a webhook converts them. */
export interface ReviewedObjects {
  readonly object: JsonObject | undefined;
  readonly old: JsonObject | undefined;
}
