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

/** The same objects as kube-apiserver 1.35 tells them in JSON and in Protobuf. */
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

  test(`${path} ${metaOf(object).name} is in Protobuf, byte for byte, what Kubernetes makes of it`, () => {
    const made = inEnvelope({ apiVersion: kind.apiVersion, kind: kind.entry.kind }, encodeMessage(kind.schema, object));
    assert.equal(made.toString('latin1'), bytes.toString('latin1'));
  });

  test(`${path} ${metaOf(object).name} comes back from Protobuf as it was`, () => {
    assert.deepEqual(told(decodeProtobuf(kind.schema, bytes)), told(object));
  });
}

/**
 * Without what Go does not tell apart: null, no text, zero, and not there. An object in another one has no type in
 * Protobuf.
 */
function told(value: Json, top = true): Json {
  if (Array.isArray(value)) return value.map((item) => told(item, false));
  if (!isJsonObject(value)) return value;
  const isTyped = !top && isJsonObject(value.spec);
  const kept = Object.entries(value).filter(
    ([name, item]) => item !== null && item !== '' && item !== 0 && !(isTyped && /^(kind|apiVersion)$/.test(name)),
  );
  return Object.fromEntries(kept.map(([name, item]) => [name, told(item as Json, false)]));
}
