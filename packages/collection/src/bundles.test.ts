import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { toRevision } from '@tidegate/revision';
import { type Bundle, deflateItems } from './bundles.ts';
import { type Deflated, stored } from './deflated.ts';
import { Deflater } from './deflater.ts';
import { GzipMember } from './gzip-member.ts';
import { Collection, type Item, itemOf, SegmentBuilder, WindowMemory, withoutComma } from './index.ts';
import { joinItems } from './segment.ts';

/** Counts the texts that it deflates. */
class CountingDeflater extends Deflater {
  texts = 0;
  override deflate(text: Buffer): Promise<Deflated> {
    this.texts++;
    return super.deflate(text);
  }
}

const deflater = new CountingDeflater();
after(() => deflater.close());

let revision = 0;
function parts(name: string, bytes = 1000) {
  const head = `{"metadata":{"name":"${name}"`;
  const value = Buffer.from(`${head}},"data":"${'x'.repeat(bytes)}"}`);
  return {
    namespace: 'n',
    name,
    revision: toRevision(++revision),
    uid: '',
    value,
    splice: head.length,
    selection: new Uint8Array(),
    deleting: false,
  };
}

const someItems = (count: number) => Array.from({ length: count }, (_, i) => itemOf(parts(`x${1000 + i}`)));

function inflated(whole: Deflated): string {
  const gzip = new GzipMember();
  return gunzipSync(Buffer.concat([gzip.begin(), gzip.add(whole), gzip.end()])).toString();
}

async function deflate(items: readonly Item[], earlier: readonly Bundle[] = []) {
  const before = deflater.texts;
  const { whole, bundles } = await deflateItems(items, earlier, deflater);
  assert.equal(inflated(whole), withoutComma(joinItems(items)).toString());
  return { bundles, made: deflater.texts - before };
}

test('the bundles together are all items in order', async () => {
  for (const count of [0, 1, 2, 17, 128]) await deflate(someItems(count));
});

test('no text is deflated twice, and a changed item costs one bundle', async () => {
  const items = someItems(128);
  const first = await deflate(items);
  assert.ok(first.made > 3 && first.made < 11, String(first.made));
  assert.equal((await deflate(items, first.bundles)).made, 0);
  const changed = items.with(60, itemOf(parts('x1060')));
  assert.equal((await deflate(changed, first.bundles)).made, 1);
});

test('an added or removed item costs on average only the bundles near it', async () => {
  const items = someItems(128);
  const { bundles: earlier, made: all } = await deflate(items);
  let made = 0;
  for (let at = 0; at < 128; at++) {
    made += (await deflate(items.toSpliced(at, 0, itemOf(parts(`x${1000 + at}a`))), earlier)).made;
    made += (await deflate(items.toSpliced(at, 1), earlier)).made;
  }
  assert.ok(made / 256 < all / 2, `${made / 256} of ${all}`);
});

test('each large item is its own bundle', async () => {
  const items = Array.from({ length: 4 }, (_, i) => itemOf(parts(`big${i}`, 100_000)));
  const { bundles: earlier, made } = await deflate(items);
  assert.equal(made, 4);
  assert.equal((await deflate(items.with(2, itemOf(parts('big2', 90_000))), earlier)).made, 1);
});

test('a list after a change deflates the changed bundles only, and has the right state', async () => {
  const builder = new SegmentBuilder();
  for (let i = 0; i < 1000; i++) builder.add(parts(`x${1000 + i}`));
  const collection = new Collection({
    revision: toRevision(revision),
    floor: toRevision(revision),
    segments: builder.finish(),
    memory: new WindowMemory({ bytes: 1 << 30 }),
  });
  const list = async () => {
    const before = deflater.texts;
    const texts: string[] = [];
    for (const run of collection.snapshot().runs()) {
      const text = inflated(await run.deflated(deflater));
      assert.equal(text, withoutComma(run.joined()).toString());
      texts.push(text);
    }
    assert.equal(JSON.parse(`[${texts.join(',')}]`).length, collection.size);
    return deflater.texts - before;
  };
  assert.ok((await list()) > 20);
  assert.equal(await list(), 0);
  for (let i = 0; i < 50; i++) {
    const kind = i % 3 === 0 ? 2 : 1;
    const name = `x${1000 + ((i * 37) % 1000)}`;
    collection.apply({ kind, state: parts(name, 10 + i), traceparent: '' });
    const made = await list();
    assert.ok(made <= 10, `${made} bundles for one change`);
  }
  assert.equal(inflated(stored(Buffer.from('end'))), 'end');
});
