import { metaOf } from '@tidegate/kinds';
import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import { type ApiError, forbiddenObject } from '@tidegate/status';
import type { Gateway } from '../gateway.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import type { PluginName } from './names.ts';

/** What a plugin is asked about. */
export interface Admitted {
  readonly gateway: Gateway;
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
