import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clean } from '@tidegate/schema';
import { fromStored, metaOf, prepareCreate, setDefaults, toStored } from '../index.ts';
import { kindAt, leaves, recorded } from './recorded.ts';

/** Fields that admission plugins, address allocators or the clock set. */
const OTHERS_WORK = [
  /^metadata\.(creationTimestamp|namespace|finalizers|resourceVersion)\b/,
  /^metadata\.annotations\.deprecated\.daemonset/,
  /^spec\.(tolerations|priority|preemptionPolicy|taints|serviceAccount|serviceAccountName)\b/,
  /^spec\.(clusterIP|clusterIPs|ipFamilies|ipFamilyPolicy|ports\.\d+\.nodePort)\b/,
  /^status\.lastPhaseTransitionTime$/,
];

for (const { path, posted, answered } of recorded) {
  test(`${path} ${metaOf(posted).name} gets the defaults of Kubernetes`, () => {
    const kind = kindAt(path);
    const { value, problems, surplus } = clean(kind.schema, posted, kind.entry.kind);
    assert.deepEqual([problems, surplus], [[], []]);
    setDefaults(kind, value);
    const stored = toStored(kind, value);
    setDefaults(kind.stored, stored);
    const { uid = '' } = metaOf(answered);
    metaOf(stored).uid = uid;
    const groups = ['system:masters', 'system:authenticated'];
    prepareCreate(kind.stored, stored, { name: 'admin', uid: 'admin-uid', groups });
    assert.deepEqual(leaves(fromStored(kind, stored), OTHERS_WORK), leaves(answered, OTHERS_WORK));
  });
}
