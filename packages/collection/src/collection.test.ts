import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toRevision } from '@tidegate/revision';
import {
  Collection,
  eventKind,
  type ItemParts,
  itemOf,
  type Snapshot,
  segmentOf,
  WindowMemory,
  withoutComma,
} from './index.ts';

/** A small random generator, so that a failed test can be repeated with its seed. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % below;
  };
}

function parts(namespace: string, name: string, revision: number, text: string): ItemParts {
  const head = `{"metadata":{"name":"${name}"`;
  return {
    namespace,
    name,
    revision: toRevision(revision),
    uid: '',
    value: Buffer.from(`${head}},"data":"${text}"}`),
    splice: head.length,
    selection: new Uint8Array(),
    deleting: false,
  };
}

function empty(windowBytes = 1 << 30): Collection {
  return new Collection({
    revision: toRevision(0),
    floor: toRevision(0),
    segments: [],
    memory: new WindowMemory({ bytes: windowBytes }),
  });
}

function texts(snapshot: Snapshot, namespace = ''): string[] {
  const all: string[] = [];
  for (const run of snapshot.runs(namespace)) all.push(withoutComma(run.joined()).toString());
  return all.length === 0 ? [] : (JSON.parse(`[${all.join(',')}]`) as unknown[]).map((item) => JSON.stringify(item));
}

/** Plays a random history into the collection and into one map for each revision. */
function play(seed: number, steps: number, collection: Collection): Array<Map<string, string>> {
  const random = randomNumbers(seed);
  const states: Array<Map<string, string>> = [new Map()];
  for (let revision = 1; revision <= steps; revision++) {
    const state = new Map(states[revision - 1]);
    const namespace = `ns${random(3)}`;
    const name = `x${String(random(400)).padStart(3, '0')}`;
    const key = `${namespace}/${name}`;
    const there = state.has(key);
    const remove = there && random(3) === 0;
    const next = parts(namespace, name, revision, 'v'.repeat(random(20)));
    if (remove) state.delete(key);
    else state.set(key, JSON.stringify(JSON.parse(itemOf(next).json.toString())));
    const kind = remove ? eventKind.deleted : there ? eventKind.updated : eventKind.created;
    collection.apply({ kind, state: next, traceparent: '' });
    states.push(state);
  }
  return states;
}

/** The collection as another service receives it: its segments, sent and received. */
function sent(collection: Collection): Collection {
  const segments = [...collection.snapshot().runs()].map((run) => {
    const heads = run.items.slice(run.from, run.to).map((item) => ({
      namespace: item.namespace,
      name: item.name,
      revision: item.revision,
      uid: item.uid,
      size: item.size,
      splice: item.splice,
      selection: item.selectionBytes(),
      deleting: item.deleting,
    }));
    return segmentOf(Buffer.from(run.joined()), heads);
  });
  const { through } = collection;
  return new Collection({ revision: through, floor: through, segments, memory: new WindowMemory({ bytes: 1 << 30 }) });
}

function sorted(state: Map<string, string>): string[] {
  return [...state.keys()].sort().map((key) => state.get(key) as string);
}

for (const seed of [1, 2, 3, 4, 5]) {
  test(`a collection equals the naive model at every revision of a random history (seed ${seed})`, () => {
    const collection = empty();
    const states = play(seed, 1500, collection);
    for (let revision = 0; revision < states.length; revision += 37) {
      const snapshot = collection.at(toRevision(revision));
      assert.deepEqual(texts(snapshot as Snapshot), sorted(states[revision] as Map<string, string>));
      if (revision % 5 === 0) collection.keep(snapshot as Snapshot);
    }
    assert.deepEqual(texts(collection.snapshot()), sorted(states.at(-1) as Map<string, string>));
    assert.equal(collection.size, states.at(-1)?.size);
  });
}

test('a snapshot never changes while the collection does', () => {
  const collection = empty();
  play(7, 500, collection);
  const snapshot = collection.snapshot();
  const before = texts(snapshot);
  for (let i = 0; i < 300; i++) {
    collection.apply({ kind: eventKind.updated, state: parts('ns1', `x${i}`, 501 + i, 'new'), traceparent: '' });
  }
  assert.deepEqual(texts(snapshot), before);
});

test('runs of one namespace have only its items, and begin after a position', () => {
  const collection = empty();
  const states = play(9, 2000, collection);
  const keys = [...(states.at(-1) as Map<string, string>).keys()].sort().filter((key) => key.startsWith('ns1/'));
  const names = (snapshot: Snapshot, after?: { namespace: string; name: string }) =>
    [...snapshot.runs('ns1', after)].flatMap((run) =>
      run.items.slice(run.from, run.to).map((i) => `${i.namespace}/${i.name}`),
    );
  assert.deepEqual(names(collection.snapshot()), keys);
  const middle = keys[keys.length >> 1] as string;
  const after = { namespace: 'ns1', name: middle.slice(4) };
  assert.deepEqual(names(collection.snapshot(), after), keys.slice((keys.length >> 1) + 1));
});

test('below the window there is no snapshot', () => {
  const collection = empty(20_000);
  play(11, 1000, collection);
  assert.equal(collection.at(toRevision(1)), undefined);
  assert.notEqual(collection.at(toRevision(999)), undefined);
  assert.ok(collection.window.bytes <= 20_000);
});

test('a collection is complete through revisions of other collections', () => {
  const collection = empty();
  play(13, 10, collection);
  assert.equal(collection.at(toRevision(50)), undefined);
  collection.completeThrough(toRevision(50));
  assert.equal(collection.at(toRevision(50))?.revision, 50);
  assert.equal(collection.snapshot().revision, 50);
});

test('a window finds the first event after a revision, also one between events', () => {
  const collection = empty();
  for (const revision of [5, 10, 20]) {
    collection.apply({ kind: eventKind.created, state: parts('n', `a${revision}`, revision, ''), traceparent: '' });
  }
  const next = (revision: number) =>
    collection.window.at(collection.window.positionAfter(toRevision(revision)) as number)?.revision;
  assert.equal(next(0), 5);
  assert.equal(next(5), 10);
  assert.equal(next(12), 20);
  assert.equal(next(20), undefined);
});

test('an item returns its stored form, and its last state at the revision of its deletion', () => {
  const before = parts('n', 'a', 12, 'x');
  const item = itemOf(before);
  assert.equal(item.json.toString(), '{"metadata":{"name":"a","resourceVersion":"12"},"data":"x"}');
  assert.equal(
    item.jsonAt(toRevision(1234)).toString(),
    '{"metadata":{"name":"a","resourceVersion":"1234"},"data":"x"}',
  );
  assert.deepEqual(item.stored().value, before.value);
});

test('a snapshot whose pages are being read is kept when the window has moved past it', () => {
  const collection = empty(1);
  play(5, 100, collection);
  const page = collection.snapshot();
  collection.keep(page);
  for (let revision = 101; revision <= 120; revision++) {
    collection.apply({ kind: eventKind.created, state: parts('ns9', `y${revision}`, revision, ''), traceparent: '' });
  }
  assert.ok(collection.window.floor > page.revision);
  assert.equal(collection.at(page.revision), page);
  assert.equal(collection.at(toRevision(99)), undefined);
  collection.window.addHole({ lastSurviving: 90, firstNew: 110 });
  assert.equal(collection.at(page.revision), undefined);
});

test('abandoned pages keep no more than 64 states', () => {
  const collection = empty();
  for (let revision = 1; revision <= 300; revision++) {
    collection.apply({ kind: eventKind.created, state: parts('ns', `x${revision}`, revision, ''), traceparent: '' });
    collection.keep(collection.snapshot());
  }
  assert.equal(collection.keptStates, 64);
});

test('a namespace is read completely, also when it begins at the start of a leaf', () => {
  const collection = empty();
  let revision = 0;
  const add = (namespace: string, i: number) => {
    const name = `x${String(i).padStart(4, '0')}`;
    collection.apply({ kind: eventKind.created, state: parts(namespace, name, ++revision, ''), traceparent: '' });
  };
  const found = (namespace: string) =>
    [...collection.snapshot().runs(namespace)].flatMap((run) =>
      run.items.slice(run.from, run.to).map((item) => item.namespace),
    );
  for (let i = 0; i < 3; i++) add('z', i);
  // each round adds one object before the namespace, so that the namespace begins at every position of a leaf
  for (let before = 0; before < 400; before++) {
    add('a', before);
    const namespace = `b${String(400 - before).padStart(3, '0')}`;
    for (let i = 0; i < 3; i++) add(namespace, i);
    assert.deepEqual(found(namespace), [namespace, namespace, namespace], `${before} objects before`);
    assert.deepEqual([found('a').length, found('z').length, found('b').length], [before + 1, 3, 0]);
  }
});

for (const seed of [21, 22, 23]) {
  test(`a collection that is read at any time, and a copy made from its segments, have the right states (seed ${seed})`, () => {
    const random = randomNumbers(seed);
    const collection = empty();
    const naive = new Map<string, string>();
    const snapshots: Array<{ snapshot: Snapshot; expected: string[] }> = [];
    let other = sent(collection);
    for (let revision = 1; revision <= 1200; revision++) {
      const name = `x${String(random(300)).padStart(3, '0')}`;
      const there = naive.has(`ns/${name}`);
      const remove = there && random(4) === 0;
      // some objects are large, so that segments also end by their bytes
      const next = parts('ns', name, revision, 'v'.repeat(random(40) === 0 ? 90_000 : random(50)));
      if (remove) naive.delete(`ns/${name}`);
      else naive.set(`ns/${name}`, JSON.stringify(JSON.parse(itemOf(next).json.toString())));
      const kind = remove ? eventKind.deleted : there ? eventKind.updated : eventKind.created;
      for (const each of [collection, other]) each.apply({ kind, state: next, traceparent: '' });
      if (random(10) === 0) {
        snapshots.push({
          snapshot: random(2) === 0 ? collection.snapshot() : other.snapshot(),
          expected: sorted(naive),
        });
        assert.deepEqual(texts((snapshots.at(-1) as (typeof snapshots)[0]).snapshot), sorted(naive));
      }
      if (random(100) === 0) other = sent(other);
    }
    for (const { snapshot, expected } of snapshots) assert.deepEqual(texts(snapshot), expected);
    for (const run of collection.snapshot().runs()) {
      const largest = Math.max(...run.items.map((item) => item.size));
      assert.ok(run.bytes - largest <= 256 << 10, 'a segment is bounded by its bytes, whatever one item has');
      assert.equal(run.joined().length, run.bytes);
    }
  });
}

test('a replaced item does not keep its former segment in memory', () => {
  const collection = empty();
  for (let i = 0; i < 50; i++) {
    collection.apply({ kind: eventKind.created, state: parts('n', `a${i}`, i + 1, 'x'), traceparent: '' });
  }
  for (const run of collection.snapshot().runs()) run.joined();
  collection.apply({ kind: eventKind.updated, state: parts('n', 'a7', 51, 'y'), traceparent: '' });
  const replaced = collection.window.at(collection.window.end - 1).previous;
  assert.equal(replaced?.json.buffer.byteLength, replaced?.size);
  // the bytes of a past state are joined for its readers, and its items keep their own bytes
  for (const run of (collection.at(toRevision(50)) as Snapshot).runs()) run.joined();
  assert.equal(replaced?.json.buffer.byteLength, replaced?.size);
});

test('a part of a segment has the bytes of its items, whether the segment was joined or not', () => {
  const collection = empty();
  play(31, 800, collection);
  for (const joinFirst of [false, true]) {
    if (joinFirst) for (const run of collection.snapshot().runs()) run.joined();
    for (const namespace of ['ns0', 'ns1', 'ns2']) {
      for (const run of collection.snapshot().runs(namespace)) {
        const expected = run.items.slice(run.from, run.to).map((item) => `${item.json.toString()},`);
        assert.equal(run.joined().toString(), expected.join(''));
        assert.equal(run.bytes, run.joined().length);
      }
    }
  }
});

test('The number of objects after a position is that of the runs after it, without visiting them.', () => {
  const collection = empty();
  play(5, 3000, collection);
  const snapshot = collection.snapshot();
  const positions = [undefined];
  const after = ['ns', 'ns0', 'ns1', 'ns2', 'ns3'].flatMap((namespace) =>
    ['', 'x000', 'x1', 'x200', 'x2005', 'x399', 'y'].map((name) => ({ namespace, name })),
  );
  for (const namespace of ['', 'ns0', 'ns1', 'ns2', 'ns3', 'ns']) {
    for (const position of [...positions, ...after]) {
      let visited = 0;
      for (const { from, to } of snapshot.runs(namespace, position)) visited += to - from;
      assert.equal(snapshot.count(namespace, position), visited, JSON.stringify([namespace, position]));
    }
  }
});
