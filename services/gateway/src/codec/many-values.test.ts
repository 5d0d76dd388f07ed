import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '@tidegate/schema';
import { refuseManyValues } from './many-values.ts';

const LARGE = 3 << 20;
const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const refused = (value: Json, message: string) =>
  assert.throws(() => refuseManyValues(value, LARGE), { code: 413, message: `Request entity too large: ${message}` });

test('what has very many small parts is refused, with the field that has them', () => {
  refused(
    { spec: { containers: many(20_001, () => ({})) } },
    'spec.containers has more than 20000 items; at most 20000 are allowed',
  );
  refused({ a: [{ b: many(30_000, () => ({})) }] }, 'a[0].b has 30000 items; at most 20000 are allowed');
  refused(
    { data: Object.fromEntries(many(60_000, (i) => [`k${i}`, ''])) },
    'data has 60000 keys; at most 50000 are allowed',
  );
  refused(
    { lists: many(10, () => many(10_000, () => ({}))) },
    'the body has more than 50000 objects in it; at most 50000 are allowed',
  );
});

test('what is as large as anything real is taken', () => {
  refuseManyValues({ spec: { containers: many(20_000, () => ({})) } }, LARGE);
  refuseManyValues({ data: Object.fromEntries(many(50_000, (i) => [`k${i}`, ''])) }, LARGE);
  refuseManyValues({ numbers: many(1_000_000, (i) => i) }, LARGE);
  refuseManyValues({ texts: many(100_000, (i) => `${i}`) }, LARGE);
});

test('a short body is not looked at', () => {
  const value = {
    get broken(): never {
      throw new Error('it was looked at');
    },
  } as unknown as Json;
  refuseManyValues(value, 39_999);
  assert.throws(() => refuseManyValues(value, 40_000), /it was looked at/);
});
