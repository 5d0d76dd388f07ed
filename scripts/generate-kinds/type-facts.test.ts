import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PublishedSchema } from './open-api-facts.ts';
import type { ProtobufField } from './protobuf-facts.ts';
import { type Descriptors, typeFacts, typeName } from './type-facts.ts';

const ref = (name: string): PublishedSchema => ({ $ref: `#/components/schemas/${name}` });
const field = (name: string, number: number, type: string, repeated = false): ProtobufField => {
  return { name, number, type, repeated };
};

const descriptors: Descriptors = {
  published: new Map<string, PublishedSchema>([
    [
      'io.k8s.api.core.v1.Thing',
      {
        type: 'object',
        required: ['name'],
        properties: {
          apiVersion: { type: 'string' },
          name: { type: 'string', default: '' },
          size: ref('io.k8s.apimachinery.pkg.api.resource.Quantity'),
          parts: {
            type: 'array',
            items: ref('io.k8s.api.core.v1.Part'),
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['name'],
            'x-kubernetes-patch-strategy': 'merge',
            'x-kubernetes-patch-merge-key': 'name',
          },
          inlined: { type: 'integer', format: 'int32', default: 0 },
          seen: ref('io.k8s.apimachinery.pkg.apis.meta.v1.Time'),
          made: ref('io.k8s.apimachinery.pkg.apis.meta.v1.Time'),
        },
      },
    ],
    ['io.k8s.api.core.v1.Either', {}],
  ]),
  protobuf: new Map([
    [
      'core.v1/Thing',
      [
        field('name', 1, 'string'),
        field('size', 2, 'resource/Quantity'),
        field('parts', 3, 'core.v1/Part', true),
        field('source', 4, 'core.v1/Source'),
        field('seen', 5, 'meta.v1/Time'),
        field('made', 6, 'meta.v1/Time'),
      ],
    ],
    ['core.v1/Source', [field('inlined', 7, 'int32')]],
    ['core.v1/Either', [field('allows', 1, 'bool'), field('thing', 2, 'core.v1/Thing')]],
  ]),
  go: {
    pointers: new Set(['core.v1/Source.inlined']),
    omitted: new Set(['core.v1/Source.inlined', 'core.v1/Thing.parts']),
    omittedStructs: new Set(['core.v1/Thing.made']),
    enums: new Map([['core.v1/Thing.name', ['A', 'B']]]),
    enumDescriptions: new Map(),
  },
};

test('a type has the facts of all descriptors about its fields', () => {
  const met: string[] = [];
  assert.deepEqual(
    typeFacts('io.k8s.api.core.v1.Thing', descriptors, (name) => met.push(name)),
    {
      apiVersion: '- string',
      name: '1 string required enum:A|B = ""',
      size: '2 quantity',
      parts: '3 []Part map(name) patch:merge(name)',
      inlined: '4.7 int32 pointer = 0',
      seen: '5 time = null',
      made: '6 time',
    },
  );
  assert.deepEqual(met, ['io.k8s.api.core.v1.Part']);
});

test('a JSON value of several types is a union of the fields of its message', () => {
  assert.deepEqual(
    typeFacts('io.k8s.api.core.v1.Either', descriptors, () => undefined),
    { '': 'union', allows: '1 bool', thing: '2 Thing' },
  );
});

test('a field without a number is an error, because it would be lost in Protobuf', () => {
  const published = new Map([
    ['io.k8s.api.core.v1.Thing', { type: 'object', properties: { odd: { type: 'string' } } }],
  ]);
  assert.throws(
    () => typeFacts('io.k8s.api.core.v1.Thing', { ...descriptors, published }, () => undefined),
    /core\.v1\/Thing\.odd has no number/,
  );
});

test('types are named by group, version and name', () => {
  assert.equal(typeName('io.k8s.api.core.v1.PodSpec'), 'core.v1/PodSpec');
  assert.equal(typeName('io.k8s.apimachinery.pkg.util.intstr.IntOrString'), 'intstr/IntOrString');
});
