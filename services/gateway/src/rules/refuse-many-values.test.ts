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
  const data = Object.fromEntries(Array.from({ length: 99_000 }, (_, i) => [`a${i}`, '']));
  refuseManyValues(pods, { ...podOf(0, 190_000), data });
  refuseManyValues(pods, podOf(14_999));
});

test('an object of more objects in lists is refused, and so is one whose lists have them together', () => {
  const words = /Too many: an object can have at most 15000 objects in lists in all, and most of them are here$/;
  assert.throws(() => refuseManyValues(pods, podOf(15_001)), words);
  const containers = Array.from({ length: 100 }, () => ({ env: Array.from({ length: 150 }, () => ({})) }));
  assert.throws(() => refuseManyValues(pods, { metadata: {}, spec: { containers } }), words);
});

test('an object of more is refused, and the field that has most of them is named', () => {
  const args = Array.from({ length: 101_000 }, () => '');
  assert.throws(() => refuseManyValues(pods, { ...podOf(1), spec: { containers: [{ args }] } }), {
    message:
      'Pod "large" is invalid: spec.containers[0].args: Too many: an object can have at most 100000 fields and items in all, and most of them are here',
  });
});

test('more owned fields than several owners of each field could have are refused', () => {
  assert.throws(() => refuseManyValues(pods, podOf(1, 201_000)), /metadata\.managedFields: Too many: /);
});
