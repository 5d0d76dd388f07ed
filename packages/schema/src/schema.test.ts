import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clean, decodeProtobuf, encodeMessage, type JsonObject, type Schema, strategicMerge } from './index.ts';

const schema: Schema = {
  type: 'object',
  fields: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    name: { type: 'string', number: 1 },
    count: { type: 'int64', number: 2 },
    on: { type: 'bool', number: 3 },
    texts: { type: 'map', values: { type: 'string' }, number: 4 },
    set: { type: 'list', items: { type: 'string' }, listType: 'set', patch: { strategies: ['merge'] }, number: 5 },
    raw: { type: 'bytes', number: 6 },
    at: { type: 'time', number: 7 },
    list: {
      type: 'list',
      listType: 'map',
      keys: ['name'],
      patch: { strategies: ['merge'], mergeKey: 'name' },
      number: 8,
      items: { type: 'object', fields: { name: { type: 'string', number: 1 }, value: { type: 'string', number: 2 } } },
    },
  },
};

test('unknown fields are dropped and reported by their paths', () => {
  const { value, surplus } = clean(schema, { name: 'a', odd: 1, list: [{ name: 'b', more: {} }] }, 'Kind');
  assert.deepEqual(value, { name: 'a', list: [{ name: 'b' }] });
  assert.deepEqual(surplus, [
    { what: 'unknown', field: 'odd' },
    { what: 'unknown', field: 'list[0].more' },
  ]);
});

const wrong: ReadonlyArray<[JsonObject, string, string]> = [
  [{ name: 1 }, 'name', 'json: cannot unmarshal number into Go struct field Kind.name of type string'],
  [{ count: 'x' }, 'count', 'json: cannot unmarshal string into Go struct field Kind.count of type int64'],
  [{ count: 1.5 }, 'count', 'json: cannot unmarshal number 1.5 into Go struct field Kind.count of type int64'],
  [{ on: 'yes' }, 'on', 'json: cannot unmarshal string into Go struct field Kind.on of type bool'],
  [{ texts: [] }, 'texts', 'json: cannot unmarshal array into Go struct field Kind.texts of type map[string]string'],
  [{ set: {} }, 'set', 'json: cannot unmarshal object into Go struct field Kind.set of type []string'],
  [{ raw: '***' }, 'raw', 'illegal base64 data at input byte 0'],
];
for (const [object, field, message] of wrong) {
  test(`${JSON.stringify(object)} is a wrong type of ${field}`, () => {
    const { problems } = clean(schema, object, 'Kind');
    assert.deepEqual(
      problems.map((problem) => [problem.field, problem.message]),
      [[field, message]],
    );
  });
}

test('amounts of resources are rounded up to thousandths', () => {
  const resources: Schema = { type: 'map', values: { type: 'quantity' } };
  const holder: Schema = { type: 'object', fields: { limits: resources } };
  const { value } = clean(holder, { limits: { cpu: '0.0001', memory: '1.0001Gi' } }, 'Kind');
  assert.deepEqual(value.limits, { cpu: '1m', memory: '1073849198183m' });
});

test('zeros are dropped, except in pointers, required fields and fields without a number', () => {
  const fields = {
    text: { type: 'string', number: 1 },
    flag: { type: 'bool', number: 2 },
    count: { type: 'int32', number: 3 },
    pointer: { type: 'bool', number: 4, tracksPresence: true },
    written: { type: 'string', number: 5, required: true },
    own: { type: 'string' },
  } as const;
  const object = { text: '', flag: false, count: 0, pointer: false, written: '', own: '' };
  const { value } = clean({ type: 'object', fields }, object, 'Kind');
  assert.deepEqual(value, { pointer: false, written: '', own: '' });
});

test('a key named like the prototype stays a key', () => {
  const { value } = clean(schema, JSON.parse('{"texts":{"__proto__":"x"}}'), 'Kind');
  assert.deepEqual(Object.keys(value.texts as JsonObject), ['__proto__']);
  assert.equal(JSON.stringify(value), '{"texts":{"__proto__":"x"}}');
});

const merges: ReadonlyArray<[what: string, current: JsonObject, patch: JsonObject, merged: JsonObject]> = [
  [
    'merges objects and removes fields that are null',
    { texts: { a: '1', b: '2' } },
    { texts: { a: null, c: '3' } },
    { texts: { b: '2', c: '3' } },
  ],
  ['merges a set', { set: ['a'] }, { set: ['b', 'a'] }, { set: ['b', 'a'] }],
  ['deletes from a set', { set: ['a', 'b'] }, { '$deleteFromPrimitiveList/set': ['a'] }, { set: ['b'] }],
  [
    'merges a list by its key',
    { list: [{ name: 'a', value: '1' }, { name: 'b' }] },
    { list: [{ name: 'a', value: '2' }, { name: 'c' }] },
    { list: [{ name: 'a', value: '2' }, { name: 'c' }, { name: 'b' }] },
  ],
  [
    'deletes from a list by its key',
    { list: [{ name: 'a' }, { name: 'b' }] },
    { list: [{ name: 'a', $patch: 'delete' }] },
    { list: [{ name: 'b' }] },
  ],
  [
    'replaces a list with $patch: replace',
    { list: [{ name: 'a' }] },
    { list: [{ $patch: 'replace' }, { name: 'c' }] },
    { list: [{ name: 'c' }] },
  ],
  [
    'orders a list by $setElementOrder',
    { list: [{ name: 'a' }, { name: 'b' }] },
    { '$setElementOrder/list': [{ name: 'b' }, { name: 'a' }], list: [{ name: 'b', value: '1' }] },
    { list: [{ name: 'b', value: '1' }, { name: 'a' }] },
  ],
  [
    'keeps only the keys in $retainKeys',
    { texts: { a: '1', b: '2' } },
    { texts: { $retainKeys: ['a', 'c'], c: '3' } },
    { texts: { a: '1', c: '3' } },
  ],
  [
    'replaces an object with $patch: replace',
    { texts: { a: '1' } },
    { texts: { $patch: 'replace', b: '2' } },
    { texts: { b: '2' } },
  ],
];
for (const [what, current, patch, merged] of merges) {
  test(`a strategic merge ${what}, and does not change the current object`, () => {
    const before = JSON.stringify(current);
    assert.deepEqual(strategicMerge(schema, current, patch), merged);
    assert.equal(JSON.stringify(current), before);
  });
}

const bytes = (...parts: Array<number | string | Buffer>) =>
  Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : Buffer.from(part as string))));
const field = (number: number, content: Buffer) => bytes((number << 3) | 2, content.length, content);
const envelope = (content: Buffer) =>
  bytes('k8s', 0, field(1, bytes(field(1, bytes('v1')), field(2, bytes('Kind')))), field(2, content));

test('Protobuf is decoded by the field numbers of the schema, and unknown fields are skipped', () => {
  const body = envelope(
    bytes(
      field(1, bytes('a')),
      0x10,
      7,
      0x18,
      1,
      field(4, bytes(field(1, bytes('k')), field(2, bytes('v')))),
      field(5, bytes('s')),
      field(6, bytes('hi')),
      field(7, bytes(0x08, 60)),
      field(8, field(1, bytes('b'))),
      field(15, bytes('?')),
    ),
  );
  assert.deepEqual(decodeProtobuf(schema, body), {
    apiVersion: 'v1',
    kind: 'Kind',
    name: 'a',
    count: 7,
    on: true,
    texts: { k: 'v' },
    set: ['s'],
    raw: 'aGk=',
    at: '1970-01-01T00:01:00Z',
    list: [{ name: 'b' }],
  });
});

test('Protobuf messages for scalars, lists and unions are decoded', () => {
  const rich: Schema = {
    type: 'object',
    fields: {
      port: { type: 'intOrString', number: 1 },
      size: { type: 'quantity', number: 2 },
      since: { type: 'microTime', number: 3 },
      takes: { type: 'duration', number: 4 },
      odd: { type: 'raw', number: 5 },
      extra: { type: 'map', values: { type: 'list', items: { type: 'string' }, wrapped: true }, number: 6 },
      either: {
        type: 'union',
        number: 7,
        members: [
          { type: 'bool', number: 1, tracksPresence: true },
          { type: 'object', fields: { a: { type: 'string', number: 1 } }, number: 2 },
        ],
      },
      zero: { type: 'int32', number: 8 },
      kept: { type: 'int32', number: 9, tracksPresence: true },
      share: { type: 'double', number: 10 },
      held: { type: 'string', within: [11, 2], number: 1 },
    },
  };
  const half = Buffer.alloc(8);
  half.writeDoubleLE(0.5);
  const body = envelope(
    bytes(
      field(1, bytes(0x08, 1, 0x10, 0, field(3, bytes('http')))),
      field(2, field(1, bytes('10Mi'))),
      field(3, bytes(0x08, 60, 0x10, 0xc0, 0x84, 0x3d)),
      field(4, bytes(0x08, 0x80, 0x94, 0xeb, 0xdc, 0x03)),
      field(5, field(1, bytes('{"x":[1]}'))),
      field(6, bytes(field(1, bytes('k')), field(2, field(1, bytes('v'))))),
      field(7, bytes(0x08, 1, field(2, field(1, bytes('b'))))),
      bytes(0x40, 0, 0x48, 0, 0x51, half),
      field(11, field(2, field(1, bytes('in')))),
    ),
  );
  assert.deepEqual(decodeProtobuf(rich, body), {
    apiVersion: 'v1',
    kind: 'Kind',
    port: 'http',
    size: '10Mi',
    since: '1970-01-01T00:01:00.001000Z',
    takes: '1s',
    odd: { x: [1] },
    extra: { k: ['v'] },
    either: { a: 'b' },
    kept: 0,
    share: 0.5,
    held: 'in',
  });
});

const tree: Schema = {
  type: 'object',
  name: 'Tree',
  get fields(): Record<string, Schema> {
    return {
      name: { type: 'string', number: 1 },
      branches: { type: 'list', items: tree, number: 2 },
      size: { type: 'int64', number: 3 },
    };
  },
};

/** A tree of nested branches. */
function nestedTree(levels: number): Buffer {
  let tree: Buffer = Buffer.alloc(0);
  for (let i = 0; i < levels; i++) tree = delimited(2, tree);
  return bytes('k8s', 0, delimited(2, tree));
}

function delimited(number: number, content: Buffer): Buffer {
  const length: number[] = [];
  let rest = content.length;
  for (; rest >= 0x80; rest >>>= 7) length.push((rest & 0x7f) | 0x80);
  return bytes((number << 3) | 2, ...length, rest, content);
}

test('Protobuf has the same maximum depth as JSON', () => {
  assert.ok(decodeProtobuf(tree, nestedTree(500)).branches);
  assert.throws(() => decodeProtobuf(tree, nestedTree(3000)), { reason: 'BadRequest', message: /nested too deeply/ });
});

test('integers of 64 bits survive a round trip through Protobuf', () => {
  for (const size of [2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n, 2 ** 53 - 1, -1]) {
    const body = bytes('k8s', 0, delimited(2, encodeMessage(tree as Schema & { type: 'object' }, { size })));
    assert.equal(decodeProtobuf(tree, body).size, size);
  }
});

test('a type may be recursive', () => {
  const { surplus } = clean(tree, { branches: [{ branches: [{ name: 'a', odd: 1 }] }] }, 'Tree');
  assert.deepEqual(surplus, [{ what: 'unknown', field: 'branches[0].branches[0].odd' }]);
});

for (const [what, body] of [
  ['another prefix', bytes('k9s', 0)],
  ['nothing', Buffer.alloc(0)],
  ['a length beyond its end', bytes('k8s', 0, 0x12, 0x7f, 'x')],
  ['a wrong wire type', envelope(bytes(0x08, 1))],
  ['text that is not UTF-8', envelope(field(1, Buffer.from([0xff])))],
] as const) {
  test(`Protobuf with ${what} is rejected with 400`, () => {
    assert.throws(() => decodeProtobuf(schema, body), { code: 400 });
  });
}

test('random bytes are decoded or rejected with 400', () => {
  let state = 1;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  };
  for (let i = 0; i < 2000; i++) {
    const body = bytes('k8s', 0, Buffer.from(Array.from({ length: next() % 40 }, next)));
    try {
      decodeProtobuf(schema, body);
    } catch (error) {
      assert.ok([400, 415].includes((error as { code: number }).code), String(error));
    }
  }
});
