import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clean, type Json, type JsonObject } from '@tidegate/schema';
import { evaluateCase, readCorpus } from './corpus.ts';
import { leaves } from './recorded.ts';

/** Fields that admission plugins, address allocators or the clock set, or with random values. */
const OTHERS_WORK = [
  /^(metadata|apiVersion|kind)\b/,
  /^spec\.(tolerations|priority|preemptionPolicy|taints|serviceAccount|serviceAccountName)\b/,
  /^spec\.(clusterIP|clusterIPs|ipFamilies|ipFamilyPolicy|ports\.\d+\.nodePort|healthCheckNodePort)\b/,
  /^status\b/,
  /controller-uid/,
  // a field of a disabled feature gate
  /^spec\.strategy$/,
];

/** Empty values count as absent. */
function filled(object: JsonObject): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(leaves(object, OTHERS_WORK)).filter(([, value]) => typeof value !== 'object'),
  );
}

for (const file of readCorpus()) {
  for (const one of file.cases) {
    if (!one.valid || file.kind !== file.kind.stored) continue;
    test(`${file.name}: ${one.title} is stored as by kube-apiserver`, () => {
      const { object = {} } = evaluateCase(file.kind, one);
      const { value } = clean(file.kind.schema, one.answer.object ?? {}, file.kind.entry.kind);
      assert.deepEqual(filled(object), filled(value));
      assert.deepEqual(filled(value), filled(one.answer.object ?? {}), 'what is recorded is read as it is');
    });
  }
}
