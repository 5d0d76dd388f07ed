import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readFeatureGates } from '@tidegate/feature-gates';
import { builtInRegistry, kindsOf, readDefinition } from '@tidegate/kinds';
import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import protobuf from 'protobufjs';
import { Negotiator } from '../codec/negotiate.ts';
import { Discovery } from './discovery.ts';

const protoRoot = fileURLToPath(new URL('../../../../proto/', import.meta.url));
const root = new protobuf.Root();
root.resolvePath = (_origin, target) => (target.startsWith('google/') ? target : `${protoRoot}${target}`);
root.loadSync(['openapi/v2/OpenAPIv2.proto', 'openapi/v3/OpenAPIv3.proto']);
root.resolveAll();

/** A kind whose schema uses all that a definition can say. */
function richKind(registry: ReturnType<typeof builtInRegistry>) {
  const text = { type: 'string' };
  const properties = {
    text: { ...text, title: 'a text', minLength: 1, maxLength: 9, pattern: '^a', default: 'a', enum: ['a', 'ab'] },
    number: { type: 'number', minimum: -0.5, maximum: 7, exclusiveMaximum: true, multipleOf: 0.5, default: 0 },
    flag: { type: 'boolean', default: false, nullable: true },
    list: { type: 'array', minItems: 1, maxItems: 4, items: text, default: ['b'], 'x-kubernetes-list-type': 'set' },
    map: { type: 'object', minProperties: 1, maxProperties: 2, additionalProperties: text, default: { a: 'b' } },
    free: { type: 'object', description: 'ü', 'x-kubernetes-preserve-unknown-fields': true },
    either: { 'x-kubernetes-int-or-string': true },
    one: {
      type: 'object',
      properties: { a: text, b: text },
      oneOf: [{ required: ['a'] }, { not: { required: ['b'] } }],
    },
    'x-named': text,
  };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } };
  const names = { plural: 'parts', singular: 'part', kind: 'Part', listKind: 'PartList' };
  const definition: JsonObject = {
    metadata: { name: 'parts.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names,
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
    status: { acceptedNames: names, conditions: [{ type: 'Established', status: 'True', reason: '', message: '' }] },
  };
  const scale = registry.find('apps', 'v1', 'deployments')?.entry.subresources.scale?.entry;
  return kindsOf(readDefinition(definition), scale!);
}

const registry = builtInRegistry();
registry.setCustom(richKind(registry));
const gates = readFeatureGates('');
const discovery = new Discovery(registry, { gates, negotiator: new Negotiator(gates) });

async function both(path: string): Promise<{ json: JsonObject; message: JsonObject }> {
  const version = path.startsWith('/openapi/v2') ? 'v2' : 'v3';
  const accept = `application/com.github.proto-openapi.spec.${version}@v1.0+protobuf`;
  const [json, encoded] = [await discovery.document(path, undefined), await discovery.document(path, accept)];
  const type = root.lookupType(`openapi.${version}.Document`);
  const decoded = type.toObject(type.decode(encoded?.body as Buffer), { longs: Number });
  return { json: JSON.parse(String(json?.body)), message: jsonOf(type, decoded as JsonObject) as JsonObject };
}

/** The JSON that a decoded message stands for. */
function jsonOf(type: protobuf.Type, message: JsonObject): Json {
  const { fieldsArray, oneofsArray, name } = type;
  if (name === 'Any') return JSON.parse(String(message.yaml));
  const entries = fieldsArray
    .filter((field) => message[field.name] !== undefined)
    .flatMap((field): Array<[string, Json]> => {
      const value = message[field.name] as Json;
      const inner = field.resolvedType instanceof protobuf.Type ? field.resolvedType : undefined;
      const made = (one: Json): Json => (inner === undefined ? one : jsonOf(inner, one as JsonObject));
      if (field.repeated && field.type.startsWith('Named')) {
        return (value as JsonObject[]).map((entry) => {
          const { name: key, value: found } = made(entry) as { name: string; value: Json };
          return [key, found];
        });
      }
      return [
        [field.name === '_ref' ? '$ref' : field.name, field.repeated ? (value as Json[]).map(made) : made(value)],
      ];
    });
  const [first = ['', null]] = entries;
  if (oneofsArray.length > 0) return first[1];
  const isList = fieldsArray.length === 1 && fieldsArray[0]?.repeated && !fieldsArray[0].type.startsWith('Named');
  return isList ? ((first[1] as Json[])[0] ?? null) : Object.fromEntries(entries);
}

type IsLost = (name: string, value: Json) => boolean;

/** JSON without the fields that gnostic's messages cannot hold. */
function without(isLost: IsLost, value: Json, isMap = false): Json {
  if (Array.isArray(value)) return value.map((item) => without(isLost, item));
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([name, field]) => isMap || !isLost(name, field));
  return Object.fromEntries(
    kept.map(([name, field]) => [name, without(isLost, field, name === 'properties' && !isMap)]),
  );
}

test('OpenAPI v3 has the same content in Protobuf and JSON, for every group version', async () => {
  const isLost: IsLost = (name, value) => name === 'default' && typeof value === 'object';
  const index = JSON.parse(String((await discovery.document('/openapi/v3', undefined))?.body));
  for (const place of Object.keys(index.paths)) {
    const { json, message } = await both(`/openapi/v3/${place}`);
    assert.deepEqual(message, without(isLost, json), place);
  }
});

test('OpenAPI v2 has the same content in Protobuf and JSON', async () => {
  const isLost: IsLost = (name) => ['nullable', 'oneOf', 'not'].includes(name);
  const { json, message } = await both('/openapi/v2');
  assert.deepEqual(message, without(isLost, json));
});

test('the encoder is loaded only when a client asks for Protobuf', () => {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    await import('./discovery.ts');
    console.log(JSON.stringify(loaded.map((url) => url.split('/').at(-1))));`;
  const out = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  const loaded = JSON.parse(out) as string[];
  assert.ok(loaded.includes('document.ts'));
  assert.deepEqual(
    loaded.filter((name) => /^open-api-encoder\.ts$/.test(name)),
    [],
  );
});
