import { type Kind, type KindEntry, kindOf, metaOf } from '@tidegate/kinds';
import { isJsonObject, type JsonObject, printTime } from '@tidegate/schema';
import { badRequest } from '@tidegate/status';
import { decodeObject } from '../codec/decode-body.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import { admitObject } from '../writing/admit-object.ts';

const kinds = new WeakMap<KindEntry, Kind>();

/** The request with the kind of its subresource (Scale, Binding, Eviction), which it takes and returns. */
export function asSubresource(request: ResourceRequest): ResourceRequest {
  const { kind, info } = request;
  const entry = kind.entry.subresources[info.subresource]?.entry;
  if (entry === undefined) throw new Error(`${kind.entry.resource}/${info.subresource} has no kind of its own`);
  let own = kinds.get(entry);
  if (own === undefined) {
    own = kindOf(entry);
    kinds.set(entry, own);
  }
  return { ...request, kind: own };
}

/** The body of such a request. It must name the object of the path. */
export function namedBody(own: ResourceRequest): JsonObject {
  const { object, notes } = decodeObject(own.kind.schema, own.body, own.contentType);
  if ((metaOf(object).name ?? '') !== own.info.name) {
    throw badRequest(`name in URL does not match name in ${own.kind.entry.kind} object`);
  }
  return admitObject(own, object, notes);
}

/** Sets one of status.conditions; its transition time changes only with its status. */
export function setCondition(object: JsonObject, condition: JsonObject & { type: string; status: string }): void {
  const status = isJsonObject(object.status) ? object.status : {};
  const conditions = Array.isArray(status.conditions) ? status.conditions.filter(isJsonObject) : [];
  const before = conditions.find(({ type }) => type === condition.type);
  const since = before?.status === condition.status ? before.lastTransitionTime : undefined;
  const next = { ...condition, lastTransitionTime: since ?? printTime() };
  const others = conditions.filter(({ type }) => type !== condition.type);
  object.status = { ...status, conditions: [...others, next] };
}
