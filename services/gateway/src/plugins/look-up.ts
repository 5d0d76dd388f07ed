import { metaOf } from '@tidegate/kinds';
import { type JsonObject, parseOwnJson } from '@tidegate/schema';
import type { Key } from '@tidegate/wire';
import { parseStored } from '../codec/stored-form.ts';
import type { Gateway } from '../gateway.ts';

/** The objects of a small collection as its mirror has them; they may be a moment old. Namespace "" is all of them. */
export async function objectsIn(gateway: Gateway, resource: string, namespace = ''): Promise<JsonObject[]> {
  const collection = await gateway.collections.known(resource);
  const objects: JsonObject[] = [];
  for (const { items, from, to } of collection.snapshot().runs(namespace)) {
    for (const { json } of items.slice(from, to)) objects.push(parseOwnJson(json));
  }
  return objects;
}

/** The object as it is in the store now. */
export async function objectAt(gateway: Gateway, key: Key): Promise<JsonObject | undefined> {
  const { found, object } = await gateway.store.read(key);
  return found && object !== null ? parseStored(object.value, object.revision) : undefined;
}

/** Of several that an annotation makes the usual one, the newest counts; of those the first by name. */
export async function usualOf(
  gateway: Gateway,
  resource: string,
  annotations: readonly string[],
): Promise<string | undefined> {
  const metas = (await objectsIn(gateway, resource)).map(metaOf);
  const usual = metas.filter(({ annotations: said = {} }) => annotations.some((name) => said[name] === 'true'));
  const [first] = usual.sort(
    (a, b) =>
      String(b.creationTimestamp).localeCompare(String(a.creationTimestamp)) ||
      String(a.name).localeCompare(String(b.name)),
  );
  return first?.name;
}
