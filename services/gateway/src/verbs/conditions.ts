import { isJsonObject, type JsonObject, printTime } from '@tidegate/schema';

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
