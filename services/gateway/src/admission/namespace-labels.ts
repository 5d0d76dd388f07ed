import { type JsonObject, parseOwnJson } from '@tidegate/schema';
import { notFound } from '@tidegate/status';
import type { Gateway } from '../gateway.ts';
import { labelsOf } from './matcher.ts';
import type { Attributes, Objects } from './review.ts';

/** The labels by which a namespaceSelector chooses; undefined for what is in no namespace, which it does not look at. */
export async function namespaceLabels(
  gateway: Gateway,
  { act: { kind, subresource, operation }, namespace, name }: Attributes,
  { object }: Objects,
): Promise<Readonly<Record<string, string>> | undefined> {
  if (kind.storedAs === 'namespaces') {
    // what is not stored yet is known from the object alone
    if (subresource === '' && operation !== 'DELETE' && object !== undefined) return labelsOf(object);
    return labelsIn(gateway, name);
  }
  return kind.entry.namespaced ? labelsIn(gateway, namespace) : undefined;
}

/** The namespace in which something is done; undefined where it is none. */
export async function namespaceObject(
  gateway: Gateway,
  { act: { kind }, namespace }: Attributes,
): Promise<JsonObject | undefined> {
  return kind.entry.namespaced && namespace !== '' ? namespaceNamed(gateway, namespace) : undefined;
}

async function labelsIn(gateway: Gateway, name: string): Promise<Readonly<Record<string, string>>> {
  return gateway.mirrors.peek('namespaces')?.get('', name)?.labels ?? labelsOf(await namespaceNamed(gateway, name));
}

async function namespaceNamed(gateway: Gateway, name: string): Promise<JsonObject> {
  const key = { resource: 'namespaces', namespace: '', name };
  const item = gateway.mirrors.peek(key.resource)?.get('', name);
  if (item !== undefined) return parseOwnJson(item.json);
  const { found, object } = await gateway.store.read(key);
  if (!found || object === null) throw notFound({ group: '', resource: 'namespaces' }, name);
  return parseOwnJson(object.value);
}
