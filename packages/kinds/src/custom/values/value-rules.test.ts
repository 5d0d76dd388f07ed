import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@tidegate/schema';
import type { JsonSchema } from './json-schema.ts';
import { listItemRules } from './list-items.ts';
import { matchesPattern } from './pattern.ts';
import { ValueRules } from './value-rules.ts';

const spec = (properties: Record<string, JsonSchema>, more: JsonSchema = {}): ValueRules =>
  new ValueRules({ type: 'object', properties: { spec: { type: 'object', properties, ...more } } });
const errorsOf = (rules: ValueRules, now: JsonObject, before?: JsonObject): string[] =>
  rules
    .errors({ spec: now }, before === undefined ? undefined : { spec: before })
    .map(({ field, message }) => `${field}: ${message}`);

test('a value of another type, out of range, or missing has the error text of kube-apiserver', () => {
  const rules = spec(
    { size: { type: 'integer', maximum: 3 }, port: { 'x-kubernetes-int-or-string': true } },
    {
      required: ['size'],
    },
  );
  assert.deepEqual(errorsOf(rules, { size: 'x' }), [
    'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
  ]);
  assert.deepEqual(errorsOf(rules, { size: 4 }), [
    'spec.size: Invalid value: 4: spec.size in body should be less than or equal to 3',
  ]);
  assert.deepEqual(errorsOf(rules, {}), ['spec.size: Required value']);
  assert.deepEqual(errorsOf(rules, { size: 1, port: 1.5 }), [
    'spec.port: Invalid value: "number": spec.port in body must be of type integer,string: "number"',
  ]);
  assert.deepEqual(errorsOf(rules, { size: 2, port: 'http' }), []);
});

test('an integer above 2^53 is compared exactly', () => {
  const rules = spec({ id: { type: 'integer', multipleOf: 2 } });
  assert.deepEqual(errorsOf(rules, { id: 9007199254740994n }), []);
  assert.equal(errorsOf(rules, { id: 9007199254740993n }).length, 1);
});

test('texts have lengths in characters, patterns, formats and values', () => {
  const rules = spec({
    name: { type: 'string', minLength: 2, maxLength: 3, pattern: '^[a-z😀]+$' },
    mode: { type: 'string', enum: ['a', 'b'] },
    when: { type: 'string', format: 'date-time' },
  });
  assert.deepEqual(errorsOf(rules, { name: '😀😀😀', mode: 'a', when: '2024-01-02T03:04:05Z' }), []);
  assert.deepEqual(errorsOf(rules, { name: 'abcd', mode: 'c', when: 'soon' }), [
    'spec.name: Too long: may not be more than 3 bytes',
    'spec.mode: Unsupported value: "c": supported values: "a", "b"',
    'spec.when: Invalid value: "soon": spec.when in body must be of type date-time: "soon"',
  ]);
});

test('for alternatives the nearest one is reported', () => {
  const either = { oneOf: [{ required: ['a'] }, { required: ['b'] }] };
  const rules = spec({ choice: { type: 'object', ...either } });
  assert.deepEqual(errorsOf(rules, { choice: { a: 1 } }), []);
  assert.deepEqual(errorsOf(rules, { choice: {} }), [
    '<nil>: Invalid value: "": "spec.choice" must validate one and only one schema (oneOf). Found none valid',
    'spec.choice.a: Required value',
  ]);
  assert.deepEqual(errorsOf(rules, { choice: { a: 1, b: 2 } }), [
    '<nil>: Invalid value: "": "spec.choice" must validate one and only one schema (oneOf). Found 2 valid alternatives',
  ]);
});

test('an unchanged invalid value is allowed', () => {
  const rules = spec({
    size: { type: 'integer', maximum: 3 },
    name: { type: 'string' },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', properties: { name: { type: 'string' }, port: { type: 'integer', maximum: 9 } } },
    },
  });
  const before = { size: 5, name: 'a', ports: [{ name: 'x', port: 80 }] };
  assert.deepEqual(errorsOf(rules, { ...before, name: 'b' }, before), []);
  const more = {
    ...before,
    ports: [
      { name: 'y', port: 1 },
      { name: 'x', port: 80 },
    ],
  };
  assert.deepEqual(errorsOf(rules, more, before), []);
  assert.equal(errorsOf(rules, { ...before, size: 6 }, before).length, 1);
});

test('duplicate items are reported once', () => {
  const rules = listItemRules({
    properties: {
      set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
      map: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['a', 'b'],
        items: { type: 'object' },
      },
    },
  });
  const errors =
    rules?.({
      set: ['x', 'x', 'x'],
      map: [
        { a: 1, b: 2, c: 3 },
        { b: 2, a: 1 },
      ],
    }) ?? [];
  assert.deepEqual(
    errors.map(({ field, message }) => `${field}: ${message}`),
    ['set[1]: Duplicate value: "x"', 'map[1]: Duplicate value: {"a":1,"b":2}'],
  );
});

/** A backtracking engine would not finish before the test's timeout. */
test('a pattern that would block a backtracking engine is evaluated', () => {
  assert.equal(matchesPattern('^(a+)+$', `${'a'.repeat(50_000)}!`), false);
});
