import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Schema } from '@tidegate/schema';
import { parseField } from './parse-field.ts';

const named: Schema = { type: 'object', name: 'Named', reference: 'a.Named', fields: { x: { type: 'string' } } };
const parse = (text: string): Schema => parseField(text, () => named);

const fields: ReadonlyArray<readonly [text: string, schema: Schema]> = [
  ['3 string', { type: 'string', number: 3 }],
  ['- string', { type: 'string' }],
  ['1.4 bool pointer = true', { type: 'bool', number: 4, within: [1], tracksPresence: true, default: true }],
  ['4 string enum:A|B = "A b"', { type: 'string', number: 4, enum: ['A', 'B'], default: 'A b' }],
  ['2 {}quantity', { type: 'map', values: { type: 'quantity' }, number: 2 }],
  ['2 {}string atomic', { type: 'map', values: { type: 'string' }, atomic: true, number: 2 }],
  ['3 {}[w]string', { type: 'map', values: { type: 'list', items: { type: 'string' }, wrapped: true }, number: 3 }],
  [
    '5 []string set patch:merge',
    { type: 'list', items: { type: 'string' }, listType: 'set', patch: { strategies: ['merge'] }, number: 5 },
  ],
];
for (const [text, schema] of fields) {
  test(`the text "${text}" is parsed`, () => {
    assert.deepEqual(parse(text), schema);
  });
}

test('a list of a named type has its keys, and the key by which patches merge it', () => {
  const list = parse('6 []Named map(a,b) patch:merge,retainKeys(a)') as Schema & { type: 'list' };
  assert.deepEqual(list.keys, ['a', 'b']);
  assert.deepEqual(list.patch, { strategies: ['merge', 'retainKeys'], mergeKey: 'a' });
  assert.equal(list.items, named);
});

test('the facts of a field with a named type do not change the type', () => {
  const field = parse('7 Named required') as Schema & { type: 'object' };
  assert.deepEqual([field.required, field.number, field.name], [true, 7, 'Named']);
  assert.equal(field.fields, named.type === 'object' ? named.fields : undefined);
  assert.deepEqual([named.required, named.number], [undefined, undefined]);
});

test('an unknown keyword is an error', () => {
  assert.throws(() => parse('1 string requird'), /has the unknown keyword "requird"/);
});
