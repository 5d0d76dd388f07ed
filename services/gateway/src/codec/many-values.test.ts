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
    { spec: { containers: many(15_001, () => ({})) } },
    'up to spec.containers[15000], the lists have more than 15000 objects',
  );
  refused(
    { a: many(4, () => ({ b: many(5000, () => ({})) })) },
    'up to a[2].b[4997], the lists have more than 15000 objects',
  );
  refused({ data: Object.fromEntries(many(60_000, (i) => [`k${i}`, ''])) }, 'data has more than 50000 keys');
  const properties = (count: number) => Object.fromEntries(many(count, (i) => [`k${i}`, {}]));
  refused({ a: properties(30_000), b: properties(30_000) }, 'the body has more than 50000 objects');
});

test('what is as large as anything real is taken', () => {
  refuseManyValues({ spec: { containers: many(15_000, () => ({})) } }, LARGE);
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
  refuseManyValues(value, 29_999);
  assert.throws(() => refuseManyValues(value, 30_000), /it was looked at/);
});
