import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInRegistry, type Kind } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { refuseManyValues } from './refuse-many-values.ts';

const pods = builtInRegistry().find('', 'v1', 'pods') as Kind;

function podOf(variables: number, owned = 0): JsonObject {
  const env = Array.from({ length: variables }, (_, i) => ({ name: `a${i}` }));
  const fields = Object.fromEntries(Array.from({ length: owned }, (_, i) => [`f:a${i}`, {}]));
  const managedFields = [{ manager: 'someone', fieldsV1: { 'f:spec': fields } }];
  return { metadata: { name: 'large', managedFields }, spec: { containers: [{ env }] } };
}

test('an object of a hundred thousand values is taken, with as many owned fields again', () => {
  refuseManyValues(pods, podOf(49_000, 190_000));
});

test('an object of more is refused, and the field that has most of them is named', () => {
  assert.throws(() => refuseManyValues(pods, podOf(51_000)), {
    message:
      'Pod "large" is invalid: spec.containers[0].env: Too many: an object can have at most 100000 fields and items in all, and most of them are here',
  });
});

test('more owned fields than several owners of each field could have are refused', () => {
  assert.throws(() => refuseManyValues(pods, podOf(1, 201_000)), /metadata\.managedFields: Too many: /);
});
