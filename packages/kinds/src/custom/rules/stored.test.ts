import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@tidegate/schema';
import { create, replace } from '../../testing/corpus.ts';
import { kindAt } from '../../testing/recorded.ts';
import { ExpressionRules } from './expression-rules.ts';

const definitions = kindAt('/apis/apiextensions.k8s.io/v1/customresourcedefinitions');

const BROKEN = { rule: 'self.nothing == 1' };

function definitionOf(rules: JsonObject[], more: JsonObject = {}): JsonObject {
  const spec = { type: 'object', properties: { size: { type: 'integer' }, ...more } };
  const schema = { type: 'object', properties: { spec }, 'x-kubernetes-validations': rules };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'old.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'old', kind: 'Old' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}

/** A definition that was stored before rules were compiled. */
function storedBroken(): JsonObject {
  const { object } = create(definitions, definitionOf([]));
  assert.ok(object !== undefined);
  const { spec } = definitionOf([BROKEN]) as { spec: JsonObject };
  return { ...object, spec: { ...(object.spec as JsonObject), versions: spec.versions ?? [] } };
}

test('a stored definition with an invalid rule can be written as long as its schema does not change', () => {
  const stored = storedBroken();
  const labelled = { ...stored, metadata: { ...(stored.metadata as JsonObject), labels: { a: 'b' } } };
  assert.deepEqual(replace(definitions, stored, labelled).causes, []);
  assert.deepEqual(replace(definitions, stored, structuredClone(stored), 'status').causes, []);
  const { spec } = definitionOf([BROKEN], { more: { type: 'string' } });
  const changed = { ...structuredClone(stored), spec: { ...(stored.spec as JsonObject), ...(spec as JsonObject) } };
  assert.equal(replace(definitions, stored, changed).code, 422);
});

test('a write of such a kind gets an error that names the invalid rule', () => {
  const rules = new ExpressionRules({
    type: 'object',
    properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
    'x-kubernetes-validations': [BROKEN],
  });
  const [error, ...others] = rules.errors({ spec: { size: 1 } });
  assert.match(
    error?.message ?? '',
    /^Invalid value: "object": rule compile error: compilation failed: ERROR: <input>/,
  );
  assert.deepEqual(others, []);
});

test('an old value of another type is an error of the rule only', () => {
  const rules = new ExpressionRules({
    type: 'object',
    properties: {
      size: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self + 1 > 1' }] },
      list: { type: 'array', items: { type: 'string' }, 'x-kubernetes-validations': [{ rule: 'self.size() > 0' }] },
    },
  });
  const errors = rules.errors({ size: 'large', list: { a: 1 } }).map(({ field, message }) => `${field}: ${message}`);
  assert.deepEqual(errors, [
    'size: Invalid value: "integer": invalid data, expected int evaluating rule: self + 1 > 1',
    'list: Invalid value: "array": invalid data, expected list evaluating rule: self.size() > 0',
  ]);
});

test('the evaluation of rules ends with the budget of the write', () => {
  const rule = 'self.all(x, self.all(y, x + y > 0))';
  const rules = new ExpressionRules({
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 500 }, (_, i) => [
        `list${i}`,
        { type: 'array', items: { type: 'integer' }, 'x-kubernetes-validations': [{ rule }] },
      ]),
    ),
  });
  const list = Array.from({ length: 200 }, () => 1);
  const object = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`list${i}`, list]));
  const errors = rules.errors(object);
  assert.equal(errors.length, 1);
  assert.match(errors[0]?.message ?? '', /running out of cost budget, no further validation rules will be run$/);
});
