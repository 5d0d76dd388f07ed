import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '@tidegate/schema';
import { applyJsonPatch } from './json-patch.ts';

test('a patch that is applied twice gives the same result', () => {
  const operations = [
    { op: 'add', path: '/list', value: [1] },
    { op: 'add', path: '/list/-', value: 2 },
    { op: 'copy', from: '/list', path: '/copy' },
    { op: 'add', path: '/copy/-', value: 3 },
  ];
  const expected = { list: [1, 2], copy: [1, 2, 3] };
  assert.deepEqual(applyJsonPatch({}, operations), expected);
  assert.deepEqual(applyJsonPatch({}, operations), expected);
});

test('a test treats an absent field as null, but only in an existing object', () => {
  const absent = (path: string) => [{ op: 'test', path, value: null }];
  assert.deepEqual(applyJsonPatch({ a: { b: 1 } }, absent('/a/c')), { a: { b: 1 } });
  assert.deepEqual(applyJsonPatch({ a: null }, absent('/a')), { a: null });
  assert.deepEqual(applyJsonPatch({ 'x/y': 1 }, absent('/x~1z')), { 'x/y': 1 });
  for (const path of ['/a/b', '/x/c', '/list/3']) {
    assert.throws(() => applyJsonPatch({ a: { b: 1 }, list: [] }, absent(path)), { reason: 'Invalid' }, path);
  }
  assert.throws(() => applyJsonPatch({ a: {} }, [{ op: 'test', path: '/a/c', value: 1 }]), { reason: 'Invalid' });
});

test('large whole numbers are copied, compared and kept', () => {
  const large = 2n ** 63n - 1n;
  const operations = [
    { op: 'test', path: '/a', value: large },
    { op: 'copy', from: '/a', path: '/b' },
    { op: 'move', from: '/a', path: '/c' },
  ];
  assert.deepEqual(applyJsonPatch({ a: large }, operations), { b: large, c: large });
  assert.throws(() => applyJsonPatch({ a: large - 1n }, operations.slice(0, 1)), { reason: 'Invalid' });
});

test('copies that keep doubling the object are refused before they fill the memory', () => {
  const doubling = Array.from({ length: 60 }, (_, i) => ({ op: 'copy', from: '/a', path: `/a/${i}` }));
  assert.throws(() => applyJsonPatch({ a: { x: 'x'.repeat(100) } }, doubling), {
    reason: 'Invalid',
    message: /copies exceed/,
  });
});

const NUMBERS: JsonObject = { list: Array.from({ length: 1_200_000 }, (_, i) => i % 10) };
const HUNDRED: JsonObject = { list: Array.from({ length: 100_000 }, (_, i) => i % 10) };
const KEYS: JsonObject = { map: Object.fromEntries(Array.from({ length: 150_000 }, (_, i) => [`k${i}`, 1])) };
const TEXT: JsonObject = { text: 'x'.repeat(1 << 20) };

/** One operation each, which thousands of times held the thread for seconds, and the object for which it did. */
const COSTLY: ReadonlyArray<readonly [what: string, object: JsonObject, operation: JsonObject]> = [
  ['moves to the front', NUMBERS, { op: 'move', from: '/list/1199999', path: '/list/0' }],
  ['moves at the front', NUMBERS, { op: 'move', from: '/list/1', path: '/list/0' }],
  ['removals', NUMBERS, { op: 'remove', path: '/list/0' }],
  ['additions', NUMBERS, { op: 'add', path: '/list/0', value: 1 }],
  ['copies', NUMBERS, { op: 'copy', from: '/list/1', path: '/list/0' }],
  ['copies of all', NUMBERS, { op: 'copy', from: '/list', path: '/other' }],
  ['comparisons of lists', HUNDRED, { op: 'test', path: '/list', value: structuredClone(HUNDRED.list as Json) }],
  ['comparisons of objects', KEYS, { op: 'test', path: '/map', value: structuredClone(KEYS.map as Json) }],
  ['comparisons of texts', TEXT, { op: 'test', path: '/text', value: Buffer.alloc(1 << 20, 'x').toString() }],
];

for (const [what, object, operation] of COSTLY) {
  test(`thousands of ${what} are refused before they block other requests`, () => {
    const operations = Array.from({ length: 9999 }, () => operation);
    // reading the object, which every request does once, is not what is measured
    const base = timeOf(() => applyJsonPatch(object, []));
    const taken = timeOf(() =>
      assert.throws(() => applyJsonPatch(object, operations), { reason: 'Invalid', message: LIMIT }),
    );
    assert.ok(taken - base < 1000, `${taken} ms of which ${base} ms are the object’s own`);
  });
}

const LIMIT = /its (operations|copies) exceed the limit of \d+ (steps|bytes)$/;

/** In ms of CPU, whatever else this machine has to do. */
function timeOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return Math.round((user + system) / 1000);
}

test('thousands of operations on lists of usual size are permitted', () => {
  const list = Array.from({ length: 300 }, (_, i) => ({ name: `item-${i}`, value: 'x'.repeat(50) }));
  const operations = Array.from({ length: 9000 }, (_, i) =>
    i % 2 === 0
      ? { op: 'move', from: '/list/0', path: '/list/299' }
      : { op: 'test', path: '/list/0', value: { name: `item-${((i + 1) / 2) % 300}`, value: 'x'.repeat(50) } },
  );
  assert.equal((applyJsonPatch({ list }, operations).list as Json[]).length, 300);
});

test('operations that nest their results too deeply are refused', () => {
  const deeper = Array.from({ length: 600 }, (_, i) => ({ op: 'add', path: `${'/a'.repeat(i + 1)}`, value: {} }));
  assert.throws(() => applyJsonPatch({}, deeper), { reason: 'Invalid', message: /max depth/ });
  assert.throws(() => applyJsonPatch({ a: {} }, [{ op: 'move', from: '/a', path: '/a/b' }]), { reason: 'Invalid' });
});

test('an invalid operation is refused, and the object stays unchanged', () => {
  const object: JsonObject = { a: { b: 1 }, list: [1] };
  for (const operation of [
    null,
    1,
    {},
    { op: 'add' },
    { op: 'add', path: '/x' },
    { op: 'add', path: 'x', value: 1 },
    { op: 'remove', path: '/nothing' },
    { op: 'replace', path: '/nothing', value: 1 },
    { op: 'add', path: '/list/7', value: 1 },
    { op: 'copy', from: '/nothing', path: '/x' },
    { op: 'copy', path: '/x' },
    { op: 'remove', path: '' },
    { op: 'replace', path: '', value: 1 },
    { op: 'add', path: '/__proto__/x', value: 1 },
    { op: 'add', path: '/constructor/prototype/x', value: 1 },
    { op: 'add', path: '/a~2', value: 1 },
    { op: 'copy', from: '/~', path: '/x' },
    { op: 'add', path: '/list/01', value: 1 },
    { op: 'add', path: '/list/4294967296', value: 1 },
    { op: 'remove', path: '/list/-' },
    { op: 'remove', path: '/toString' },
    { op: 'test', path: '/a/constructor', value: {} },
  ]) {
    assert.throws(() => applyJsonPatch(object, [{ op: 'remove', path: '/a' }, operation]), { name: 'ApiError' });
  }
  assert.deepEqual(object, { a: { b: 1 }, list: [1] });
});

test('keys with special names are handled like all others', () => {
  for (const name of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '']) {
    const path = `/a/${name}`;
    const made = applyJsonPatch({ a: {} }, [
      { op: 'test', path, value: null },
      { op: 'add', path, value: { [name]: 1 } },
      { op: 'add', path: `${path}/prototype`, value: 2 },
      { op: 'test', path, value: { prototype: 2, [name]: name === 'prototype' ? 2 : 1 } },
      { op: 'copy', from: path, path: '/b' },
      { op: 'move', from: path, path: '/c' },
      { op: 'test', path, value: null },
    ]);
    assert.deepEqual(Object.keys(made.a as JsonObject), []);
    assert.ok(Object.hasOwn(made.b as JsonObject, name));
    assert.deepEqual(made.b, made.c);
    assert.equal(Object.getPrototypeOf(made.b), Object.prototype);
  }
  assert.equal(({} as { prototype?: unknown }).prototype, undefined);
});

test('an internal error during a patch is not reported as the client’s', () => {
  const value = {
    get broken(): never {
      throw new TypeError('a fault');
    },
  };
  for (const op of ['add', 'replace']) {
    assert.throws(() => applyJsonPatch({ x: {} }, [{ op, path: '/x', value }]), TypeError);
  }
});
