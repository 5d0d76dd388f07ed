import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clean, repeatedFields } from '../clean.ts';
import type { Schema } from '../schema.ts';
import type { BodyNotes } from './body-notes.ts';
import { decodeJson, parseOwnJson } from './decode.ts';
import type { Json, JsonObject } from './json.ts';

const decode = (text: string) => decodeJson(Buffer.from(text));
const twice = (text: string) => {
  const { value, notes } = decode(text);
  return notes === undefined ? [] : repeatedFields(value as Json, notes);
};

test('ordinary JSON is decoded as by JSON.parse', () => {
  for (const text of [
    '{}',
    ' [1, -2.5e3, "a", true, false, null, {"b": [ ] }] ',
    '"\\"quoted\\" \\\\ \\u00e4 ä 😀 \\ud83d\\ude00"',
    '{"__proto__":{"a":1},"constructor":2,"1":3,"":4}',
    '-0.5',
    `{"long":"${'x'.repeat(100)}\\"${'y'.repeat(100)}: {"}`,
    '\t\r\n{"a"\n:\t1.50\r}',
  ]) {
    assert.deepEqual(decode(text).value, JSON.parse(text), text);
  }
});

test('repeated keys are found at every depth, and the last value is kept', () => {
  assert.deepEqual(decode('{"a":1,"a":2}').value, { a: 2 });
  assert.deepEqual(twice('{"a":1,"b":{"c":1},"a":2}'), ['a']);
  assert.deepEqual(twice('{"spec":{"list":[{"x":1},{"x":1,"x":2,"x":3}],"y":0,"y":0}}'), ['spec.list[1].x', 'spec.y']);
  assert.deepEqual(twice('{"a":1,"\\u0061":2}'), ['a'], 'however they are written');
  assert.deepEqual(twice('{"__proto__":1,"__proto__":2}'), ['__proto__']);
  assert.deepEqual(twice('{"a":{"a":{"a":"a:a"}},"b":[":"]}'), []);
  assert.equal(decode('{"a":{"a":1}}').notes, undefined);
});

test('integers keep their digits, in fields of 64 bits and in values that are kept unchanged', () => {
  const schema: Schema & { type: 'object' } = {
    type: 'object',
    fields: { int: { type: 'int64' }, free: { type: 'raw' }, double: { type: 'double' }, amount: { type: 'quantity' } },
  };
  const cleaned = (text: string) => {
    const { value, notes } = decode(text);
    return clean(schema, value as JsonObject, 'Kind', notes === undefined ? {} : { notes });
  };
  for (const digits of ['9223372036854775807', '-9223372036854775808', '9007199254740993', '9007199254740992']) {
    const text = `{"int":${digits},"free":[${digits}]}`;
    assert.equal(JSON.stringify(cleaned(text).value), text);
    assert.equal(JSON.stringify(parseOwnJson(Buffer.from(text))), text);
  }
  assert.equal(
    JSON.stringify(cleaned('{"free":123456789012345678901234567890}').value.free),
    '123456789012345678901234567890',
  );
  assert.equal(cleaned('{"double":9007199254740993}').value.double, 9007199254740992);
  assert.equal(cleaned('{"amount":12345678901234567890123}').value.amount, '12345678901234567890123');
  for (const [digits, type] of [
    ['9223372036854775808', 'int64'],
    ['1.0', 'int64'],
    ['1e3', 'int64'],
    ['-9223372036854775809', 'int64'],
  ]) {
    assert.deepEqual(
      cleaned(`{"int":${digits}}`).problems.map(({ message }) => message),
      [`json: cannot unmarshal number ${digits} into Go struct field Kind.int of type ${type}`],
    );
  }
});

test('numbers are decoded to the value of their text', () => {
  assert.deepEqual(decode('[1.0,1e3,0.1,1e21,1E-7,-0.0]').value, [1, 1000, 0.1, 1e21, 1e-7, -0]);
  assert.throws(() => decode('{"a":1e400}'), { reason: 'BadRequest', message: /number 1e400 .* float64/ });
  assert.equal(decode(`[${'9'.repeat(300)}]`).notes?.written.size, 1);
});

test('half a surrogate pair becomes U+FFFD, and a NUL is a character like any other', () => {
  assert.deepEqual(decode('["\\ud800x","\\udc00","\\ud83d\\ude00","a\\u0000b"]').value, [
    '\ufffdx',
    '\ufffd',
    '😀',
    'a\0b',
  ]);
});

test('invalid JSON, invalid UTF-8 and too deep nesting are rejected', () => {
  const bad: Array<[string | Buffer, RegExp]> = [
    ['', /JSON/],
    ['{"a":1', /JSON/],
    ['{"a":"', /JSON/],
    ['{"a":"\\', /JSON/],
    ['{"a":01}', /JSON/],
    ['[1,]', /JSON/],
    ['{"a":"\u0001"}', /JSON/],
    [Buffer.from('7b2261223a22ff227d', 'hex'), /UTF-8/],
    [Buffer.from('efbbbf7b7d', 'hex'), /JSON/],
    ['['.repeat(600), /max depth/],
    [`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, /max depth/],
  ];
  for (const [text, message] of bad) {
    assert.throws(() => decodeJson(Buffer.from(text)), { name: 'ApiError', reason: 'BadRequest', message });
  }
});

test('unknown and repeated fields of a typed object are reported in the order of the text', () => {
  const schema: Schema & { type: 'object' } = {
    type: 'object',
    fields: {
      map: { type: 'map', values: { type: 'string' } },
      list: { type: 'list', items: { type: 'object', fields: { name: { type: 'string' } } } },
      free: { type: 'any' },
    },
  };
  const text =
    '{"odd":1,"odd":2,"map":{"a":"1","a":"2"},"list":[{"x":{"y":1,"y":2},"name":"","name":""}],"free":{"z":[{"k":1,"k":1}]}}';
  const { value, notes } = decode(text);
  assert.deepEqual(
    clean(schema, value as JsonObject, 'Kind', { notes: notes as BodyNotes }).surplus.map(
      ({ what, field }) => `${what} ${field}`,
    ),
    ['unknown odd', 'duplicate map.a', 'unknown list[0].x', 'duplicate list[0].name', 'duplicate free.z[0].k'],
  );
});
