import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeYaml } from './decode.ts';

const read = (text: string) => decodeYaml(Buffer.from(text)).value;

test('each use of an alias gives a value of its own', () => {
  const { a, b } = read('a: &x {c: [1]}\nb: *x\n') as Record<string, { c: number[] }>;
  assert.deepEqual(a, b);
  assert.notEqual(a, b);
  assert.notEqual(a?.c, b?.c);
});

test('aliases that expand to more than a body may have are rejected', () => {
  const doubling = (first: string) =>
    [`a0: &a0 ${first}`, ...Array.from({ length: 40 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`)].join('\n');
  const merged = [
    'a0: &a0 {k: 1}',
    ...Array.from({ length: 40 }, (_, i) => `a${i + 1}: &a${i + 1} {<<: [*a${i}, *a${i}]}`),
  ].join('\n');
  const texts = `a: &a ${'x'.repeat(100_000)}\nb: [${'*a, '.repeat(100)}]`;
  const keys = `a: &a ${'x'.repeat(100_000)}\nb: [${'{*a : 1}, '.repeat(100)}]`;
  for (const text of [doubling('{}'), doubling('[]'), doubling(''), doubling('x'), merged, texts, keys]) {
    assert.throws(() => read(text), { name: 'ApiError', message: /excessive aliasing/ });
  }
});

test('aliases have the same maximum depth as bodies', () => {
  const nested = [`a0: &a0 ${'['.repeat(300)}${']'.repeat(300)}`, `b: ${'['.repeat(300)}*a0${']'.repeat(300)}`].join(
    '\n',
  );
  assert.throws(() => read(nested), { name: 'ApiError', message: /max depth/ });
});

test('keys of every name are ordinary keys, merged or not', () => {
  const merged = read('a: {<<: {__proto__: {x: 1}}, constructor: 2}\n') as { a: object };
  assert.deepEqual(Object.entries(merged.a), [
    ['__proto__', { x: 1 }],
    ['constructor', 2],
  ]);
  assert.equal(({} as { x?: unknown }).x, undefined);
});

test('any number of lines inside brackets may have any indentation', () => {
  const lines = Array.from({ length: 300 }, (_, i) => `${i},`);
  assert.equal((read(`a:\n  b: [\n${lines.join('\n')}\n]\n`) as { a: { b: number[] } }).a.b.length, 300);
});
