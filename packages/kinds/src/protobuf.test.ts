import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { decodeProtobuf, encodeMessage, inEnvelope, isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import { builtInRegistry, type Kind, metaOf } from './index.ts';

interface Recorded {
  path: string;
  object: JsonObject;
  protobuf: string;
}

/** The same objects in JSON and in Protobuf, as kube-apiserver 1.35 returns them. */
const recorded = JSON.parse(readFileSync(new URL('../recorded/protobuf.json', import.meta.url), 'utf8')) as Recorded[];
const registry = builtInRegistry();

function kindAt(path: string): Kind {
  const [, prefix, ...parts] = path.split('/');
  const [group, version] = prefix === 'api' ? ['', parts[0]] : [parts[0], parts[1]];
  return registry.find(group ?? '', version ?? '', parts.at(-1) ?? '') as Kind;
}

for (const { path, object, protobuf } of recorded) {
  const kind = kindAt(path);
  const bytes = Buffer.from(protobuf, 'base64');

  test(`${path} ${metaOf(object).name} is in Protobuf byte for byte as in Kubernetes`, () => {
    const made = inEnvelope({ apiVersion: kind.apiVersion, kind: kind.entry.kind }, encodeMessage(kind.schema, object));
    assert.equal(made.toString('latin1'), bytes.toString('latin1'));
  });

  test(`${path} ${metaOf(object).name} is the same after Protobuf`, () => {
    assert.deepEqual(withoutZeros(decodeProtobuf(kind.schema, bytes)), withoutZeros(object));
  });
}

/**
 * Without values that Go does not distinguish: null, empty text, zero, and absent fields. An object within another
 * one has no type in Protobuf.
 */
function withoutZeros(value: Json, top = true): Json {
  if (Array.isArray(value)) return value.map((item) => withoutZeros(item, false));
  if (!isJsonObject(value)) return value;
  const isTyped = !top && isJsonObject(value.spec);
  const kept = Object.entries(value).filter(
    ([name, item]) => item !== null && item !== '' && item !== 0 && !(isTyped && /^(kind|apiVersion)$/.test(name)),
  );
  return Object.fromEntries(kept.map(([name, item]) => [name, withoutZeros(item as Json, false)]));
}
