import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeProtobuf, type Schema } from '@tidegate/schema';
import { namesInFamilies } from './families.ts';
import { builtInRegistry, type Kind, readRuntimeConfig } from './index.ts';

const registry = builtInRegistry(readRuntimeConfig('api/all'));

function kindOf(path: string): Kind {
  const [group = '', version = '', resource = ''] = path.split('/');
  const kind = registry.find(group, version, resource);
  assert.ok(kind, path);
  return kind;
}

test('every kind has a schema with metadata, and every type in it can be built', () => {
  const seen = new Set<unknown>();
  const visit = (schema: Schema): void => {
    if (schema.type === 'list') visit(schema.items);
    else if (schema.type === 'map') visit(schema.values);
    else if (schema.type === 'union') visitOnce(schema.members);
    else if (schema.type === 'object') visitOnce(Object.values(schema.fields), schema.fields);
  };
  const visitOnce = (schemas: readonly Schema[], key: unknown = schemas): void => {
    if (seen.has(key)) return;
    seen.add(key);
    for (const schema of schemas) visit(schema);
  };
  for (const { schema, entry } of registry.all()) {
    assert.equal(schema.fields.metadata?.type, 'object', entry.kind);
    visit(schema);
  }
  assert.ok(registry.all().length > 50);
  assert.ok(seen.size > 400);
});

test('every rule belongs to a kind', () => {
  const names = new Set(
    registry.all().flatMap(({ entry: { group, version, resource } }) => {
      const suffix = group === '' ? '' : `.${group}`;
      return [`${resource}${suffix}`, `${resource}.${version}${suffix}`];
    }),
  );
  assert.deepEqual(
    namesInFamilies().filter((name) => !names.has(name)),
    [],
  );
});

test('a kind in two groups or versions is stored once', () => {
  assert.equal(kindOf('events.k8s.io/v1/events').storedAs, 'events');
  assert.equal(kindOf('events.k8s.io/v1/events').stored, kindOf('/v1/events'));
  assert.equal(kindOf('autoscaling/v1/horizontalpodautoscalers').storedAs, 'horizontalpodautoscalers.autoscaling');
  assert.equal(
    kindOf('autoscaling/v1/horizontalpodautoscalers').stored,
    kindOf('autoscaling/v2/horizontalpodautoscalers'),
  );
  assert.equal(kindOf('apps/v1/deployments').stored, kindOf('apps/v1/deployments'));
});

test('the text of a field has its number, type, merge key, default and values', () => {
  const spec = kindOf('/v1/pods').schema.fields.spec as Schema & { type: 'object' };
  const containers = spec.fields.containers as Schema & { type: 'list' };
  assert.deepEqual(
    { number: containers.number, keys: containers.keys, patch: containers.patch, required: containers.required },
    { number: 2, keys: ['name'], patch: { strategies: ['merge'], mergeKey: 'name' }, required: true },
  );
  const { ports } = (containers.items as Schema & { type: 'object' }).fields as { ports: Schema & { type: 'list' } };
  assert.deepEqual(ports.keys, ['containerPort', 'protocol']);
  assert.equal(ports.patch?.mergeKey, 'containerPort');
  const { protocol } = (ports.items as Schema & { type: 'object' }).fields;
  assert.deepEqual([protocol?.default, protocol?.enum], ['TCP', ['SCTP', 'TCP', 'UDP']]);
});

test('Protobuf of fields that JSON has one level higher is read', () => {
  const field = (number: number, content: Buffer) =>
    Buffer.concat([Buffer.from([(number << 3) | 2, content.length]), content]);
  // a pod's spec (2) with a volume (1): its name (1), and its source (2); in JSON the source is beside the name
  const volume = Buffer.concat([field(1, Buffer.from('data')), field(2, field(2, Buffer.alloc(0)))]);
  const body = Buffer.concat([Buffer.from('k8s\0'), field(2, field(2, field(1, volume)))]);
  assert.deepEqual(decodeProtobuf(kindOf('/v1/pods').schema, body), {
    spec: { volumes: [{ name: 'data', emptyDir: {} }] },
  });
});
