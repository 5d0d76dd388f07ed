import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyDefaults, clean, type JsonObject } from '@tidegate/schema';
import { builtInRegistry } from '../built-in.ts';
import { fromStored, toStored } from '../registry.ts';
import { compareVersions, readDefinition } from './definition.ts';
import { jsonPath } from './json-path.ts';
import { kindsOf } from './kinds-of.ts';
import { decideNames } from './names.ts';

const registry = builtInRegistry();
const scale = registry.find('apps', 'v1', 'deployments')?.entry.subresources.scale?.entry;
if (scale === undefined) throw new Error('deployments have a scale');

const names = { plural: 'parts', singular: 'part', kind: 'Part', listKind: 'PartList', shortNames: ['pt'] };
const established = [{ type: 'Established', status: 'True', reason: '', message: '' }];

function definition(properties: JsonObject, more: { generation?: number; group?: string; names?: JsonObject } = {}) {
  const { group = 'example.com', generation = 1 } = more;
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } };
  const versions = [
    { name: 'v1', served: true, storage: true, schema },
    { name: 'v1beta1', served: true, storage: false, deprecated: true, schema },
  ];
  return readDefinition({
    metadata: { name: `parts.${group}`, generation },
    spec: { group, scope: 'Namespaced', names: { ...names, ...more.names }, versions },
    status: { acceptedNames: names, conditions: established },
  } as JsonObject);
}

test('unknown fields are pruned, preserved ones are kept, and defaults are set', () => {
  const [kind] = kindsOf(
    definition({
      free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      empty: { type: 'array', items: { type: 'string' } },
      nested: { type: 'object', default: {}, properties: { depth: { type: 'integer', default: 7 } } },
      mode: { type: 'string', default: 'fast' },
      note: { type: 'string', nullable: true },
    }),
    scale,
  );
  assert.ok(kind !== undefined);
  const sent = { spec: { free: { a: { b: null } }, empty: [], other: 1, mode: null, note: null } };
  const { value, surplus } = clean(kind.schema, sent, 'Part');
  applyDefaults(kind.schema, value);
  assert.deepEqual(value, {
    spec: { free: { a: { b: null } }, empty: [], note: null, nested: { depth: 7 }, mode: 'fast' },
  });
  assert.deepEqual(surplus, [{ what: 'unknown', field: 'spec.other' }]);
});

test('an object that preserves unknown fields has no fields in OpenAPI v2', () => {
  const free = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const one = { ...definition({}), versions: [{ name: 'v1', served: true, storage: true, schema: free }] };
  const [kind] = kindsOf(one as unknown as Parameters<typeof kindsOf>[0], scale);
  assert.deepEqual(kind?.schema.published?.({ version: 2 }), { type: 'object' });
  const { properties = {} } = kind?.schema.published?.({ version: 3 }) ?? {};
  assert.deepEqual(Object.keys(properties as JsonObject), ['apiVersion', 'kind', 'metadata']);
});

test('__proto__ is a field like any other', () => {
  const properties = JSON.parse(
    '{"__proto__":{"type":"object","default":{"a":1},"properties":{"a":{"type":"integer"}}}}',
  );
  const [kind] = kindsOf(definition(properties), scale);
  assert.ok(kind !== undefined);
  const { value } = clean(kind.schema, { spec: {} }, 'Part');
  applyDefaults(kind.schema, value);
  assert.equal(JSON.stringify(value), '{"spec":{"__proto__":{"a":1}}}');
  assert.equal(Object.getPrototypeOf(value.spec), Object.prototype);
});

test('stored objects are returned unchanged only while the definition has never changed', () => {
  const [first, older] = kindsOf(definition({}), scale);
  assert.equal(first?.stored, first);
  assert.equal(older?.stored, first);
  assert.equal(older?.entry.deprecated, 'example.com/v1beta1 Part is deprecated; use example.com/v1 Part');
  const [changed] = kindsOf(definition({ mode: { type: 'string', default: 'slow' } }, { generation: 2 }), scale);
  assert.ok(changed !== undefined && changed.stored !== changed);
  const stored = { apiVersion: 'example.com/v1', kind: 'Part', metadata: { name: 'a' }, spec: { gone: 1 } };
  assert.deepEqual(fromStored(changed, stored).spec, { mode: 'slow' });
});

test('fields that the stored version lacks are not stored', () => {
  const text = { type: 'string' };
  const schema = (properties: JsonObject) => ({
    openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } },
  });
  const versions = [
    { name: 'v1', served: true, storage: true, schema: schema({ a: text }) },
    { name: 'v2', served: true, storage: false, schema: schema({ a: text, b: { ...text, default: 'new' } }) },
  ];
  const defined = readDefinition({
    metadata: { name: 'parts.example.com', generation: 2 },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions },
    status: { acceptedNames: names, conditions: established },
  } as JsonObject);
  const [newer] = kindsOf(defined, scale);
  assert.ok(newer !== undefined);
  const stored = toStored(newer, { apiVersion: 'example.com/v2', kind: 'Part', spec: { a: 'x', b: 'y' } });
  assert.deepEqual([stored.apiVersion, stored.spec], ['example.com/v1', { a: 'x' }]);
  assert.deepEqual(fromStored(newer, stored).spec, { a: 'x', b: 'new' });
});

test('a name of another definition is not accepted', () => {
  const now = '2024-01-02T03:04:05Z';
  const other = { ...definition({}), name: 'others.example.com' };
  const fresh = { ...definition({}), acceptedNames: { plural: '', kind: '' }, conditions: [] };
  const decided = decideNames(fresh, [other, fresh], registry, now);
  assert.deepEqual(
    decided?.conditions.map(({ type, status, reason }) => [type, status, reason]),
    [
      ['NamesAccepted', 'False', 'ListKindConflict'],
      ['Established', 'False', 'NotAccepted'],
    ],
  );
  const alone = decideNames(fresh, [fresh], registry, now);
  assert.deepEqual(alone?.acceptedNames, names);
  assert.deepEqual(
    alone?.conditions.map(({ type, status }) => [type, status]),
    [
      ['NamesAccepted', 'True'],
      ['Established', 'True'],
    ],
  );
});

test('a definition in a protected group must name its approval', () => {
  const conditionOf = (group: string, approval: string) => {
    const one = { ...definition({}, { group }), approval, conditions: [] };
    const decided = decideNames(one, [one], registry, '2024-01-02T03:04:05Z');
    const found = decided?.conditions.find(({ type }) => type === 'KubernetesAPIApprovalPolicyConformant');
    return found && [found.status, found.reason, found.message];
  };
  const url = 'https://github.com/kubernetes/kubernetes/pull/1';
  assert.equal(conditionOf('example.com', ''), undefined);
  assert.deepEqual(conditionOf('parts.k8s.io', url), ['True', 'ApprovedAnnotation', `approved in ${url}`]);
  assert.deepEqual(conditionOf('parts.k8s.io', 'unapproved, for a test'), [
    'False',
    'UnapprovedAnnotation',
    'not approved: "unapproved, for a test"',
  ]);
  assert.equal(conditionOf('parts.kubernetes.io', '')?.[1], 'MissingAnnotation');
  assert.equal(conditionOf('parts.kubernetes.io', 'yes')?.[1], 'InvalidAnnotation');
});

test('versions are ordered by stability', () => {
  const sorted = ['foo1', 'v10beta3', 'v1', 'v3beta1', 'v2', 'v11alpha2', 'v10'].sort(compareVersions);
  assert.deepEqual(sorted, ['v10', 'v2', 'v1', 'v10beta3', 'v3beta1', 'v11alpha2', 'foo1']);
});

test('paths return the values of columns', () => {
  const object = {
    metadata: { annotations: { 'a.b/c': 'x' } },
    status: {
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'Idle', status: 'False' },
      ],
    },
    list: [{ n: 1 }, { n: 2 }],
  };
  const find = (path: string) => jsonPath(path)?.(object);
  assert.deepEqual(find('.status.conditions[?(@.type=="Ready")].status'), ['True']);
  assert.deepEqual(find('.metadata.annotations.a\\.b/c'), ['x']);
  assert.deepEqual(find(".metadata.annotations['a.b/c']"), ['x']);
  assert.deepEqual(find('.list[*].n'), [1, 2]);
  assert.deepEqual(find('.list[-1].n'), [2]);
  assert.deepEqual(find('.nothing.at.all'), []);
  assert.equal(find('{.a'), undefined);
});

test('each version with a conversion webhook is a kind of its own, with its own selectable fields', () => {
  const text = { type: 'string' };
  const version = (name: string, field: string, more: JsonObject) => ({
    name,
    served: true,
    storage: false,
    schema: {
      openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { [field]: text } } } },
    },
    selectableFields: [{ jsonPath: `.spec.${field}` }],
    ...more,
  });
  const clientConfig = { url: 'https://a.b/c' };
  const defined = readDefinition({
    metadata: { name: 'parts.example.com', generation: 2 },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names,
      versions: [version('v1', 'a', { storage: true }), version('v2', 'b', {}), version('v0', 'c', { served: false })],
      conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v9', 'v1beta1'] } },
    },
    status: { acceptedNames: names, conditions: established },
  } as JsonObject);
  const [newer, older] = kindsOf(defined, scale);
  const { converter } = newer?.entry.custom ?? {};
  assert.deepEqual([newer?.apiVersion, older?.apiVersion], ['example.com/v2', 'example.com/v1']);
  assert.equal(newer?.stored, newer);
  assert.equal(converter?.stored, older);
  assert.deepEqual([converter?.clientConfig, converter?.review], [clientConfig, 'v1beta1']);
  assert.deepEqual([...(converter?.versions.keys() ?? [])], ['example.com/v1', 'example.com/v2', 'example.com/v0']);
  assert.deepEqual(Object.keys(newer?.entry.selectableFields ?? {}), ['spec.b']);
});
