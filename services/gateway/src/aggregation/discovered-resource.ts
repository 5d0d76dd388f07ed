import { isJsonObject, type Json, type JsonObject, listOf } from '@tidegate/schema';

/**
 * A resource of the aggregated form as another server tells it: what has its type is taken, anything else is left out, so
 * that what one server says wrongly spoils no document that tells of all.
 */
export function discoveredResource(told: JsonObject): JsonObject {
  const subresources = listOf(told, 'subresources').map((one) => ({
    subresource: textOf(one.subresource),
    responseKind: kindIn(one),
    verbs: textsIn(one, 'verbs'),
  }));
  const [shortNames, categories] = [textsIn(told, 'shortNames'), textsIn(told, 'categories')];
  return {
    resource: textOf(told.resource),
    responseKind: kindIn(told),
    scope: told.scope === 'Cluster' ? 'Cluster' : 'Namespaced',
    singularResource: textOf(told.singularResource),
    verbs: textsIn(told, 'verbs'),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}

/** Some clients fail where a kind is not there at all; an empty one they know. */
function kindIn({ responseKind }: JsonObject): JsonObject {
  if (!isJsonObject(responseKind)) return {};
  const { group, version, kind } = responseKind;
  return { group: textOf(group), version: textOf(version), kind: textOf(kind) };
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function textsIn(object: JsonObject, name: string): string[] {
  const list = object[name];
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
}
