import { builtInRegistry } from '@tidegate/kinds';
import { allCollections, type Collection, largeObject, type Variant } from '@tidegate/kinds/testing';
import type { Json } from '@tidegate/schema';
import type { Attack } from './attacks.ts';

/** Slightly below the limits of docs/operate/limits.md, to leave room for the other fields of the object. */
const MAX_BYTES = 3_000_000;
const MAX_ITEMS = 19_900;
const MAX_VALUES = 99_000;
const MAX_LIST_ITEMS = 14_900;

/**
 * For every list and map of every kind: creates and applies an object in which it has the largest permitted length, once
 * with different items and once with invalid texts.
 */
export function generatedAttacks(): Attack[] {
  const collections = allCollections(builtInRegistry());
  return collections.flatMap((one) =>
    (['different', 'refused'] as const).flatMap((variant) => attacksOn(one, variant)),
  );
}

function attacksOn(collection: Collection, variant: Variant): Attack[] {
  const { kind, path } = collection;
  const { group, version, resource, namespaced, kind: name } = kind.entry;
  const base = `/${group === '' ? 'api' : `apis/${group}`}/${version}${namespaced ? '/namespaces/own' : ''}/${resource}`;
  const title = `${name} with the largest permitted number of ${variant} ${path.join('.')}`;
  const body = () => JSON.stringify(largest(collection, variant));
  return [
    { title: `${title}, created`, request: () => ({ method: 'POST', path: base, body: body() }) },
    {
      title: `${title}, applied`,
      request: () => ({
        method: 'PATCH',
        path: `${base}/large?fieldManager=m&force=true`,
        body: body(),
        contentType: 'application/apply-patch+yaml',
      }),
    },
  ];
}

function largest(collection: Collection, variant: Variant) {
  for (let count = MAX_ITEMS; ; count = Math.floor(count * 0.9)) {
    const object = largeObject([collection], variant, count);
    const { namespace, ...metadata } = object.metadata as { namespace?: string };
    const sent = { ...object, metadata };
    if (JSON.stringify(sent).length <= MAX_BYTES && isPermitted(sent)) return sent;
  }
}

function isPermitted(object: Json): boolean {
  let [values, listItems] = [0, 0];
  const count = (value: Json): void => {
    values++;
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) listItems += value.filter((item) => typeof item === 'object').length;
    for (const item of Object.values(value)) count(item as Json);
  };
  count(object);
  return values <= MAX_VALUES && listItems <= MAX_LIST_ITEMS;
}
