import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInRegistry, type Kind } from '@tidegate/kinds';
import { allCollections, largeObject } from '@tidegate/kinds/testing';
import { frozen, type JsonObject } from '@tidegate/schema';
import { asParsed, parseStored, storedForm, withResourceVersion } from './stored-form.ts';

const REVISION = 1234567;
const registry = builtInRegistry();

/** The object as the writer keeps it must be the one that a reader of its bytes gets, with its members in that order. */
function assertSame(kind: Kind, object: JsonObject): void {
  const form = storedForm(kind, object);
  const kept = frozen(asParsed(kind, object, REVISION));
  const read = JSON.parse(withResourceVersion(form, REVISION).toString()) as JsonObject;
  assert.deepEqual(kept, read);
  assert.equal(JSON.stringify(kept), JSON.stringify(read));
  assert.deepEqual(kept, parseStored(form.value, REVISION));
}

test('A committed object is kept as its stored bytes would be parsed, whatever the order of its members.', () => {
  const kind = registry.find('', 'v1', 'configmaps') as Kind;
  const metadata = { labels: { a: 'b' }, uid: 'u', resourceVersion: '1', namespace: 'n', name: 'x', generateName: 'é' };
  assertSame(kind, { data: { constructor: '1' }, metadata, apiVersion: 'other/v1', kind: 'Other' });
});

test('Members without a value are not kept, because they are not stored.', () => {
  const kind = registry.find('', 'v1', 'configmaps') as Kind;
  const object = { metadata: { name: 'x', annotations: undefined }, data: { a: '1', b: undefined } };
  assertSame(kind, object as unknown as JsonObject);
});

test('The same is true for objects with every list and map of every kind.', () => {
  const all = allCollections(registry);
  for (const one of all) assertSame(one.kind.stored, largeObject([one], 'different', 3));
  assert.ok(all.length > 100);
});
