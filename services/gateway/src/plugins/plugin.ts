import { metaOf, type Registry } from '@tidegate/kinds';
import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import { type ApiError, forbiddenObject } from '@tidegate/status';
import type { Authorizer } from '../authz/authorizer.ts';
import type { Collections } from '../objects/collections.ts';
import type { Objects } from '../objects/objects.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import type { PluginName } from './names.ts';

/** What plugins look up beside the object that they admit. */
export interface Lookups {
  readonly objects: Pick<Objects, 'stored' | 'namespaceLabels'>;
  readonly collections: Pick<Collections, 'objectsInStore'>;
  /** The objects of one of the resources that plugins need; they may be a moment old, and must not be changed. */
  known(resource: string, namespace?: string): Promise<readonly JsonObject[]>;
  readonly registry: Pick<Registry, 'all' | 'find'>;
  readonly authorizer: Pick<Authorizer, 'may'>;
}

/** One write that a plugin admits. */
export interface Admitted {
  readonly lookups: Lookups;
  readonly request: ResourceRequest;
  readonly object: JsonObject;
  /** undefined: it is new */
  readonly old: JsonObject | undefined;
}

/** A rule of admission that this server has built in. */
export interface Plugin {
  readonly name: PluginName;
  /** what it is asked about: `CREATE pods`, `UPDATE pods/status`, by the names under which objects are stored; `*`: all that is written */
  readonly concerns: readonly string[];
  /** the small collections in which it looks things up: they are mirrored all the time */
  readonly needs?: readonly string[];
  /** collections that are mirrored all the time for another part of its work; nothing is made of their objects */
  readonly keeps?: readonly string[];
  /** Sets what the client left out, or refuses. It is asked again when webhooks have changed the object. */
  readonly mutate?: (admitted: Admitted) => void | Promise<void>;
  /** Judges what is to be committed. */
  readonly validate?: (admitted: Admitted) => void | Promise<void>;
}

/** The refusal of a plugin. An object that has no name yet goes by what its name will begin with. */
export function refused({ request, object }: Pick<Admitted, 'request' | 'object'>, why: string): ApiError {
  const { name, generateName } = metaOf(object);
  return forbiddenObject(request.kind.entry, request.info.name || name || generateName || 'Unknown', why);
}

export function specOf(object: JsonObject): JsonObject {
  return isJsonObject(object.spec) ? object.spec : {};
}

/** Appends to a list that may not be there. */
export function append(object: JsonObject, name: string, item: Json): void {
  const list = object[name];
  if (Array.isArray(list)) list.push(item);
  else object[name] = [item];
}

/** Of several that an annotation makes the usual one, the newest counts; of those the first by name. */
export async function usualOf(
  lookups: Lookups,
  resource: string,
  annotations: readonly string[],
): Promise<string | undefined> {
  const metas = (await lookups.known(resource)).map(metaOf);
  const usual = metas.filter(({ annotations: said = {} }) => annotations.some((name) => said[name] === 'true'));
  const [first] = usual.sort(
    (a, b) =>
      String(b.creationTimestamp).localeCompare(String(a.creationTimestamp)) ||
      String(a.name).localeCompare(String(b.name)),
  );
  return first?.name;
}
