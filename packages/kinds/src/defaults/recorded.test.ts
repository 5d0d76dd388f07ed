import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { clean, isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import { builtInRegistry, fromStored, type Kind, metaOf, prepareCreate, setDefaults, toStored } from '../index.ts';

interface Recorded {
  path: string;
  posted: JsonObject;
  answered: JsonObject;
}

/** What kube-apiserver 1.35 answered when these objects were created. */
const recorded = JSON.parse(
  readFileSync(new URL('../../recorded/objects.json', import.meta.url), 'utf8'),
) as Recorded[];
const registry = builtInRegistry();

/** Set by admission there, by controllers of addresses, or by the clock. */
const OTHERS_WORK = [
  /^metadata\.(creationTimestamp|namespace|finalizers)\b/,
  /^metadata\.annotations\.deprecated\.daemonset/,
  /^spec\.(tolerations|priority|preemptionPolicy|taints|serviceAccount|serviceAccountName)\b/,
  /^spec\.(clusterIP|clusterIPs|ipFamilies|ipFamilyPolicy|ports\.\d+\.nodePort)\b/,
  /^status\.lastPhaseTransitionTime$/,
];

for (const { path, posted, answered } of recorded) {
  test(`${path} ${metaOf(posted).name} gets the defaults that Kubernetes gives it`, () => {
    const kind = kindAt(path);
    const { value, problems, unknown } = clean(kind.schema, posted, kind.entry.kind);
    assert.deepEqual([problems, unknown], [[], []]);
    setDefaults(kind, value);
    const stored = toStored(kind, value);
    setDefaults(kind.stored, stored);
    const { uid = '' } = metaOf(answered);
    metaOf(stored).uid = uid;
    const groups = ['system:masters', 'system:authenticated'];
    prepareCreate(kind.stored, stored, { name: 'admin', uid: 'admin-uid', groups });
    assert.deepEqual(leaves(fromStored(kind, stored)), leaves(answered));
  });
}

function kindAt(path: string): Kind {
  const [, prefix, ...parts] = path.split('/');
  const [group, version] = prefix === 'api' ? ['', parts[0]] : [parts[0], parts[1]];
  return registry.find(group ?? '', version ?? '', parts.at(-1) ?? '') as Kind;
}

/** Every scalar by its path; null is as good as nothing. */
function leaves(value: Json, path = '', found: Record<string, Json> = {}): Record<string, Json> {
  if (isJsonObject(value) || Array.isArray(value)) {
    const entries = Object.entries(value);
    if (entries.length === 0) keep(found, path, Array.isArray(value) ? [] : {});
    for (const [name, item] of entries) leaves(item as Json, path === '' ? name : `${path}.${name}`, found);
  } else if (value !== null && value !== undefined) keep(found, path, value);
  return found;
}

function keep(found: Record<string, Json>, path: string, value: Json): void {
  if (path !== 'metadata.resourceVersion' && !OTHERS_WORK.some((form) => form.test(path))) found[path] = value;
}
