import { metaOf, type Registry } from '@tidegate/kinds';
import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import { type ApiError, forbiddenObject } from '@tidegate/status';
import type { Authorizer } from '../authz/authorizer.ts';
import type { Collections } from '../objects/collections.ts';
import type { Objects } from '../objects/objects.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import type { PluginName } from './names.ts';

/** What plugins look up besides the object. */
export interface Lookups {
  readonly objects: Pick<Objects, 'stored' | 'namespaceLabels'>;
  readonly collections: Pick<Collections, 'objectsInStore'>;
  /** The objects of a resource that a plugin names in `needs`. They may be slightly stale, and must not be changed. */
  known(resource: string, namespace?: string): Promise<readonly JsonObject[]>;
  readonly registry: Pick<Registry, 'all' | 'find'>;
  readonly authorizer: Pick<Authorizer, 'may'>;
}

/** One write, as a plugin sees it. */
export interface Admitted {
  readonly lookups: Lookups;
  readonly request: ResourceRequest;
  readonly object: JsonObject;
  /** undefined: the object is created */
  readonly old: JsonObject | undefined;
}

/** A built-in admission plugin. */
export interface Plugin {
  readonly name: PluginName;
  /**
   * the operations that it handles: `CREATE pods`, `UPDATE pods/status`, with stored resource names; `*`: all writes
   */
  readonly handles: readonly string[];
  /** small collections that it reads: they are mirrored permanently */
  readonly needs?: readonly string[];
  /** collections that are mirrored permanently for another reason; no view is made of them */
  readonly keeps?: readonly string[];
  /** Sets defaults, or throws to reject. It runs again after webhooks changed the object. */
  readonly mutate?: (admitted: Admitted) => void | Promise<void>;
  /** Checks the final object, and throws to reject it. */
  readonly validate?: (admitted: Admitted) => void | Promise<void>;
}

/** The error of a plugin. An object without a name is identified by its generateName. */
export function refused({ request, object }: Pick<Admitted, 'request' | 'object'>, why: string): ApiError {
  const { name, generateName } = metaOf(object);
  return forbiddenObject(request.kind.entry, request.info.name || name || generateName || 'Unknown', why);
}

/** The lists of containers in the spec of a pod. */
export const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'];

export function specOf(object: JsonObject): JsonObject {
  return isJsonObject(object.spec) ? object.spec : {};
}

/** Appends to a list, and creates the list if it is missing. */
export function append(object: JsonObject, name: string, item: Json): void {
  const list = object[name];
  if (Array.isArray(list)) list.push(item);
  else object[name] = [item];
}

/** The default class: of several objects with a default annotation the newest one, then the first by name. */
export async function defaultClassOf(
  lookups: Lookups,
  resource: string,
  annotations: readonly string[],
): Promise<string | undefined> {
  const metas = (await lookups.known(resource)).map(metaOf);
  const marked = metas.filter(({ annotations: values = {} }) => annotations.some((name) => values[name] === 'true'));
  const [first] = marked.sort(
    (a, b) =>
      String(b.creationTimestamp).localeCompare(String(a.creationTimestamp)) ||
      String(a.name).localeCompare(String(b.name)),
  );
  return first?.name;
}
