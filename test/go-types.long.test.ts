import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { builtInRegistry, type Kind } from '@tidegate/kinds';
import {
  applyDefaults,
  clean,
  decodeJson,
  decodeProtobuf,
  encodeMessage,
  inEnvelope,
  isJsonObject,
  type Json,
  type JsonObject,
  type Schema,
} from '@tidegate/schema';
import { Random } from '@tidegate/testkit';
import { programPath, whyNoProgram } from './support/cached-go-program.ts';

const modules = ['api', 'apimachinery', 'client-go', 'apiextensions-apiserver', 'kube-aggregator'];
const TYPES = { name: 'go-types', modules: modules.map((name) => `k8s.io/${name}@v0.35.4`) };
const ROUNDS = 40;

const WORDS = ['web', 'a-b', 'é', '日本', 'x'.repeat(200), '\u{1f600}', '<&>', 'line\nbreak'];
const QUANTITIES = ['1', '100m', '2Gi', '1500k', '-3', '9223372036854775807'];

/** A random value of a schema's type, never zero or empty, because Protobuf does not transmit such values. */
function randomValue(schema: Schema, random: Random, depth: number): Json | undefined {
  const { type } = schema;
  switch (type) {
    case 'object':
      return depth <= 0 ? undefined : randomObject(schema, random, depth - 1);
    case 'map': {
      const keys = ['k', 'a.b/c', 'é'].slice(0, random.below(3) + 1);
      const values = keys.map((key) => [key, randomValue(schema.values, random, depth - 1)] as const);
      return filled(Object.fromEntries(values.filter(([, value]) => value !== undefined)) as JsonObject);
    }
    case 'list': {
      const items = Array.from({ length: random.below(3) + 1 }, () => randomValue(schema.items, random, depth - 1));
      const kept = items.filter((item) => item !== undefined);
      return kept.length === 0 ? undefined : kept;
    }
    case 'union':
      return randomValue(random.pick(schema.members), random, depth);
    case 'string':
      return schema.enum === undefined ? random.pick(WORDS) : random.pick(schema.enum.filter(Boolean));
    case 'bool':
      return true;
    case 'int32':
      return random.pick([1, -1, 2 ** 31 - 1, -(2 ** 31), random.below(1000) + 1]);
    case 'int64':
      return random.pick([1, -1, Number.MAX_SAFE_INTEGER, 9223372036854775807n as unknown as number]);
    case 'double':
      return random.pick([0.5, -1.25, 3]);
    case 'bytes':
      return Buffer.from(random.pick(WORDS)).toString('base64');
    case 'quantity':
      return random.pick(QUANTITIES);
    case 'intOrString':
      return random.pick(['25%', 'http', 8080]);
    case 'time':
      return '2026-02-03T04:05:06Z';
    case 'microTime':
      return '2026-02-03T04:05:06.789012Z';
    case 'duration':
      return random.pick(['1h30m0s', '5s', '1m0s']);
    case 'raw':
      return { apiVersion: 'v1', kind: 'Any', some: [1, 'x', null] };
    case 'any':
      return random.pick<Json>([{ deep: [1, { er: 'x' }] }, 'text', 5]);
    default:
      return type satisfies never;
  }
}

function randomObject(schema: Schema & { type: 'object' }, random: Random, depth: number): JsonObject | undefined {
  const object: JsonObject = {};
  for (const [name, field] of Object.entries(schema.fields)) {
    if (name === 'apiVersion' || name === 'kind' || name === 'selfLink' || random.chance(0.4)) continue;
    const value = randomValue(field, random, depth);
    if (value !== undefined) object[name] = value;
  }
  return filled(object);
}

function filled(object: JsonObject): JsonObject | undefined {
  return Object.keys(object).length === 0 ? undefined : object;
}

/** The object as the server decodes it: cleaned, with defaults, without Go's zero values. */
function normalized({ schema, entry }: Kind, object: JsonObject): JsonObject {
  const { value, problems, surplus } = clean(schema, object, entry.kind);
  assert.deepEqual([problems, surplus], [[], []]);
  applyDefaults(schema, value);
  return withoutZeroValues(value) as JsonObject;
}

const ZERO_VALUES = new Set<Json>([null, '', '0', 0, false]);

function withoutZeroValues(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutZeroValues);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([name, item]) => [name, withoutZeroValues(item)] as const);
  const kept = entries.filter(([, item]) => !ZERO_VALUES.has(item) && !isEmpty(item));
  return Object.fromEntries(kept) as JsonObject;
}

function isEmpty(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

test('Random objects of every kind are encoded to and decoded from Protobuf exactly as by the published Go types.', {
  skip: whyNoProgram(TYPES) ?? false,
}, async (t) => {
  const seed = Number(process.env.SEED ?? 20260101);
  t.diagnostic(`SEED=${seed}`);
  const random = new Random(seed);
  const child = spawn(programPath(TYPES), { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const kinds = builtInRegistry()
    .all()
    .filter(({ entry }) => entry.verbs.includes('create'));
  for (const kind of kinds) {
    const { entry, apiVersion, schema } = kind;
    for (let round = 0; round < ROUNDS; round++) {
      const made = randomObject(schema, random, 7) ?? {};
      const object = { apiVersion, kind: entry.kind, ...clean(schema, made, entry.kind).value };
      const protobuf = inEnvelope({ apiVersion, kind: entry.kind }, encodeMessage(schema, object));
      child.stdin.write(`${protobuf.toString('base64')}\n`);
      const { value } = decodeJson(Buffer.from(String((await lines.next()).value)));
      const result = value as { json?: JsonObject; protobuf?: string; error?: string };
      const what = `${entry.kind} ${round}: ${JSON.stringify(object)}`;
      assert.equal(result.error, undefined, what);
      assert.deepEqual(normalized(kind, result.json as JsonObject), normalized(kind, object), what);
      assert.equal(result.protobuf, protobuf.toString('base64'), what);
      assert.deepEqual(withoutZeroValues(decodeProtobuf(schema, protobuf)), withoutZeroValues(object), what);
    }
  }
  child.stdin.end();
  await once(child, 'close');
});
