import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalQuantity, clean, decodeJson, type Schema, strategicMerge } from './index.ts';

test('a quantity of more than a thousand characters is rejected, because its exact value would take too long', () => {
  assert.equal(canonicalQuantity(`1${'0'.repeat(996)}e0`), '1e996');
  assert.deepEqual(canonicalQuantity('1'.repeat(1001)), {
    problem: 'quantities must have no more than 1000 characters',
  });
});

const list: Schema & { type: 'object' } = {
  type: 'object',
  fields: {
    ports: {
      type: 'list',
      items: { type: 'object', fields: { port: { type: 'int32' }, name: { type: 'string' } } },
      patch: { strategies: ['merge'], mergeKey: 'port' },
    },
  },
};

test('a strategic merge patch may name an item of a list at most sixteen times', () => {
  const patch = (times: number) => ({ ports: Array.from({ length: times }, () => ({ port: 53, name: 'dns' })) });
  assert.deepEqual(strategicMerge(list, {}, patch(16)), { ports: [{ port: 53, name: 'dns' }] });
  assert.throws(() => strategicMerge(list, {}, patch(17)), {
    message: 'a patch may name an item of a list at most 16 times: port 53',
  });
});

test('at most a thousand values of a wrong type are reported', () => {
  const { problems } = clean(list, { ports: Array.from({ length: 5000 }, () => 'none') }, 'Service');
  assert.equal(problems.length, 1000);
  assert.equal(problems[999]?.field, 'ports[999]');
});

test('a string of many escapes is scanned once', () => {
  const body = Buffer.from(JSON.stringify({ data: `${'x'.repeat(50)}\n`.repeat(50_000) }));
  const before = process.threadCpuUsage();
  decodeJson(body);
  const { user, system } = process.threadCpuUsage(before);
  assert.ok(user + system < 300_000, `${(user + system) / 1000} ms`);
});
