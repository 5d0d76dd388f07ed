import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repeatedFields } from '../clean.ts';
import type { BodyNotes } from '../json/body-notes.ts';
import type { Json, JsonObject } from '../json/json.ts';
import type { Schema } from '../schema.ts';
import { decodeCbor, readCbor } from './decode.ts';
import { cborDocument, encodeCbor } from './encode.ts';

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const schema: Schema = {
  type: 'object',
  fields: { data: { type: 'map', values: { type: 'string' } }, binaryData: { type: 'map', values: { type: 'bytes' } } },
};

test('an object is encoded as kube-apiserver encodes it, with sorted keys', () => {
  const object = { kind: 'ConfigMap', data: { x: '1' }, binaryData: { b: 'AAEC' } };
  assert.equal(
    cborDocument(object, schema).toString('latin1'),
    '\xd9\xd9\xf7\xa3Ddata\xa1AxA1DkindIConfigMapJbinaryData\xa1Ab\xd6C\x00\x01\x02',
  );
  assert.deepEqual(decodeCbor(cborDocument(object, schema), schema), object);
});

test('integers are encoded in the fewest bytes, and floats are only used for other numbers', () => {
  const forms: ReadonlyArray<[number, string]> = [
    [0, '00'],
    [23, '17'],
    [24, '1818'],
    [255, '18ff'],
    [256, '190100'],
    [65_536, '1a00010000'],
    [4_294_967_296, '1b0000000100000000'],
    [Number.MAX_SAFE_INTEGER, '1b001fffffffffffff'],
    [-1, '20'],
    [-24, '37'],
    [-500, '3901f3'],
    [1.5, 'fb3ff8000000000000'],
  ];
  for (const [value, hex] of forms) {
    assert.equal(encodeCbor(value).toString('hex'), hex, String(value));
    assert.equal(decodeCbor(bytes(hex)), value);
  }
  for (const [hex, value] of [
    ['f93e00', 1.5],
    ['f90001', 2 ** -24],
    ['fa3fc00000', 1.5],
  ] as const) {
    assert.equal(decodeCbor(bytes(hex)), value);
  }
});

test('text strings, byte strings, strings in parts, and arrays and maps of indefinite length are decoded', () => {
  assert.equal(decodeCbor(bytes('43616263')), 'abc');
  assert.equal(decodeCbor(bytes('63616263')), 'abc');
  assert.equal(decodeCbor(bytes('7f 6161 626263 ff')), 'abc');
  assert.deepEqual(decodeCbor(bytes('9f 01 02 ff')), [1, 2]);
  assert.deepEqual(decodeCbor(bytes('bf 4161 f5 ff')), { a: true });
  assert.equal(decodeCbor(bytes('d6 43 000102')), 'AAEC');
  assert.deepEqual(decodeCbor(bytes('a1 49 5f5f70726f746f5f5f 01')), JSON.parse('{"__proto__":1}'));
});

test('invalid documents are rejected, at a cost bounded by their size', () => {
  const bad: ReadonlyArray<[string, RegExp]> = [
    ['', /unexpected end of data/],
    ['43 61', /unexpected end of data/],
    ['5b ffffffffffffffff', /unexpected end of data/],
    ['9b ffffffffffffffff', /unexpected end of data/],
    ['ba ffffffff', /unexpected end of data/],
    ['9f 01', /unexpected end of data/],
    ['01 02', /data after the first item/],
    ['a1 5f 4161 ff 01', /indefinite length/],
    ['a1 01 01', /not a string/],
    ['c1 01', /tag 1 is not supported/],
    ['d6 01', /requires a byte string/],
    ['f7', /simple value/],
    ['f8 20', /simple value/],
    ['fb 7ff0000000000000', /not finite/],
    ['1b ffffffffffffffff', /too large/],
    ['61 ff', /./],
    ['7f 4161 ff', /another type/],
    ['81'.repeat(600), /nested too deeply/],
    ['1c', /invalid length 28/],
  ];
  for (const [hex, words] of bad) {
    assert.throws(() => decodeCbor(bytes(hex)), { name: 'ApiError', reason: 'BadRequest', message: words }, hex);
  }
});

function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % below;
  };
}

function randomJson(random: (below: number) => number, depth: number): Json {
  switch (random(depth > 4 ? 5 : 7)) {
    case 0:
      return null;
    case 1:
      return random(2) === 0;
    case 2:
      return (random(2) === 0 ? -1 : 1) * random(2 ** random(24));
    case 3:
      return random(1000) / 7;
    case 4:
      return ['', 'ä', 'x'.repeat(random(300)), '\u0000', '😀'][random(5)] as string;
    case 5:
      return Array.from({ length: random(5) }, () => randomJson(random, depth + 1));
    default: {
      const object: JsonObject = {};
      for (let i = random(6); i > 0; i--) object[`k${'y'.repeat(random(30))}${i}`] = randomJson(random, depth + 1);
      return object;
    }
  }
}

test('random values survive a round trip, and damaged bytes are either decoded or rejected', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = randomNumbers(seed);
    const value = randomJson(random, 0);
    const encoded = encodeCbor(value);
    assert.deepEqual(decodeCbor(encoded), value);
    for (let i = 0; i < 20; i++) {
      const damaged = Buffer.from(encoded.subarray(0, random(encoded.length + 1)));
      if (damaged.length > 0) damaged[random(damaged.length)] = random(256);
      try {
        decodeCbor(damaged);
      } catch (error) {
        assert.equal((error as Error).name, 'ApiError');
      }
    }
  }
});

test('the last value of a repeated key is kept, and the key is noted', () => {
  const { value, notes } = readCbor(bytes('a1 4161 a2 4162 01 4162 02'));
  assert.deepEqual(value, { a: { b: 2 } });
  assert.deepEqual(repeatedFields(value as Json, notes as BodyNotes), ['a.b']);
});

test('integers of 64 bits survive a round trip', () => {
  for (const value of [2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n, -(2n ** 53n) - 1n]) {
    assert.equal(decodeCbor(encodeCbor(value)), value);
  }
  assert.equal(encodeCbor(2n ** 63n - 1n).toString('hex'), '1b7fffffffffffffff');
  assert.equal(decodeCbor(encodeCbor(2n ** 70n)), 2 ** 70, 'a larger integer becomes a double');
  assert.equal(decodeCbor(encodeCbor(1e300)), 1e300);
});
