import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { toRevision } from '@tidegate/revision';
import { Deflater } from './deflater.ts';
import { GzipMember } from './gzip-member.ts';
import { type Item, type ItemParts, itemOf } from './item.ts';
import { listedOf, segmentOf } from './segment.ts';
import { runOf, Snapshot } from './snapshot.ts';
import { Tree } from './tree.ts';

const HEAD = '{"kind":"ConfigMap","apiVersion":"v1",';

/** Names of several lengths, and one object with another beginning. */
function partsOf(i: number, begin = HEAD): ItemParts {
  const name = `m${100 + i}${'x'.repeat(i % 7)}`;
  const head = `${begin}"metadata":{"name":"${name}","uid":"u${i}"`;
  return {
    namespace: 'a',
    name,
    revision: toRevision(1000 + i),
    uid: `u${i}`,
    value: Buffer.from(`${head}},"data":{"é":"${i}","metadata":{}}}`),
    splice: Buffer.byteLength(head),
    selection: Buffer.alloc(0),
    deleting: false,
  };
}

const BEGINS = [HEAD, HEAD, '{', '{"kind":"Event","apiVersion":"events.k8s.io/v1",', HEAD];
const all = Array.from({ length: 60 }, (_, i) => partsOf(i, BEGINS[i % BEGINS.length]));
const whole = all.map((parts) => JSON.parse(itemOf(parts).json.toString()));
const typeless = whole.map(({ kind: _kind, apiVersion: _apiVersion, ...object }) => object);

function check(items: readonly Item[]): void {
  assert.deepEqual(
    items.map((item) => JSON.parse(item.json.toString())),
    whole,
  );
  assert.deepEqual(
    items.map((item) => JSON.parse(item.listed.toString())),
    typeless,
  );
  for (const [i, item] of items.entries()) {
    assert.equal(item.listed.length, item.size);
    const { value, splice } = item.stored();
    assert.deepEqual([value, splice], [all[i]?.value, all[i]?.splice]);
    const later = JSON.parse(item.jsonAt(toRevision(77_777)).toString());
    assert.deepEqual(later, { ...whole[i], metadata: { ...whole[i].metadata, resourceVersion: '77777' } });
  }
}

test('an object has its kind outside of a list, and not inside', () => {
  check(all.map((parts) => itemOf(parts, true)));
});

test('so it is in a segment of another service, and after its bytes have moved', async () => {
  const sent = all.map((parts) => itemOf(parts));
  const json = runOf(sent, 0, sent.length).joined();
  const sizes = sent.map(({ size }) => size);
  const heads = sent.map((item, i) => ({
    ...(all[i] as ItemParts),
    size: item.size,
    revision: item.revision as number,
  }));
  const segment = segmentOf(Buffer.from(json), heads, true);
  check(segment.items);
  assert.deepEqual(segment.json, listedOf(json, sizes));
  assert.deepEqual(JSON.parse(`[${segment.json.subarray(0, -1)}]`), typeless);

  const tree = Tree.of([segment]);
  const changed = itemOf({ ...(all[30] as ItemParts) }, true);
  tree.set(changed);
  const [run] = new Snapshot(tree.freeze(), toRevision(5000)).runs();
  assert.deepEqual(JSON.parse(`[${run?.joined().subarray(0, -1)}]`), typeless);
  assert.equal(run?.joined().length, run?.bytes);
  check(run?.items ?? []);
  const member = new GzipMember();
  const deflater = new Deflater();
  const deflated = await run?.deflated(deflater);
  deflater.close();
  const bytes = Buffer.concat([member.begin(), member.add(deflated as never), member.end()]);
  assert.deepEqual(JSON.parse(`[${gunzipSync(bytes)}]`), typeless);
});
