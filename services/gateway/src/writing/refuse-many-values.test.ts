import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInRegistry, type Kind } from '@tidegate/kinds';
import type { Json, JsonObject } from '@tidegate/schema';
import { refuseManyValues } from './refuse-many-values.ts';

const pods = builtInRegistry().find('', 'v1', 'pods') as Kind;
const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const map = (count: number, value: Json = '') => Object.fromEntries(many(count, (i) => [`k${i}`, value]));

function podOf(spec: JsonObject, owned = 0): JsonObject {
  const managedFields = [{ manager: 'someone', fieldsV1: { 'f:spec': map(owned, {}) } }];
  return { metadata: { name: 'large', managedFields }, spec };
}

function refused(object: JsonObject, field: string, limit: string): void {
  const message = `Pod "large" is invalid: ${field}: Too many: with this there are more than ${limit}, which is the limit of one object`;
  assert.throws(() => refuseManyValues(pods, object), { code: 422, message });
}

test('an object with nearly 100,000 values is accepted, with as many owned fields', () => {
  refuseManyValues(pods, podOf({ lists: many(9, () => map(11_000)) }, 99_000));
  refuseManyValues(pods, podOf({ containers: many(15_000, () => ({})) }));
  refuseManyValues(pods, podOf({ numbers: many(99_990, (i) => i) }));
});

test('a larger object is rejected, with the first field above the limit', () => {
  refused(podOf({ args: many(100_001, () => '') }), 'spec.args', '100000 fields and items');
  refused(podOf({ maps: many(6, () => map(19_000)) }), 'spec.maps[5]', '100000 fields and items');
});

test('too many objects in lists are rejected, also when several lists have them together', () => {
  refused(podOf({ containers: many(15_001, () => ({})) }), 'spec.containers[15000]', '15000 objects in lists');
  const containers = many(100, () => ({ env: many(150, () => ({})) }));
  refused(podOf({ containers }), 'spec.containers[99].env[50]', '15000 objects in lists');
});

test('a map with too many fields is rejected', () => {
  refused(podOf({ nodeSelector: map(20_001) }), 'spec.nodeSelector', '20000 fields in one map');
});

test('managedFields with too many fields are rejected', () => {
  refused(podOf({}, 100_001), 'metadata.managedFields[0].fieldsV1.f:spec', '100000 fields in one map');
});
