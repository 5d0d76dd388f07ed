import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_FIELDS, MAX_VALUES } from './body-budget.ts';
import {
  cborDocument,
  decodeJson,
  decodeProtobuf,
  decodeYaml,
  encodeMessage,
  type Json,
  readCbor,
  type Schema,
} from './index.ts';
import { inEnvelope } from './protobuf/envelope.ts';

const schema: Schema & { type: 'object' } = {
  type: 'object',
  fields: {
    map: { type: 'map', number: 1, values: { type: 'string' } },
    list: { type: 'list', number: 2, items: { type: 'object', fields: {} } },
  },
};

/** A decoder for each encoding. */
const READERS: Record<string, (value: { [field: string]: Json }) => unknown> = {
  JSON: (value) => decodeJson(Buffer.from(JSON.stringify(value))).value,
  YAML: (value) => decodeYaml(Buffer.from(JSON.stringify(value))).value,
  CBOR: (value) => readCbor(cborDocument(value), schema).value,
  Protobuf: (value) => decodeProtobuf(schema, inEnvelope({ apiVersion: '', kind: '' }, encodeMessage(schema, value))),
};

for (const [encoding, read] of Object.entries(READERS)) {
  test(`${encoding} with too many fields is rejected, whatever its size`, () => {
    const fields = (count: number) => ({
      map: Object.fromEntries(Array.from({ length: count }, (_, i) => [`${i}`, ''])),
    });
    const half = fields(MAX_FIELDS / 2);
    assert.deepEqual(read(half), half);
    assert.throws(() => read(fields(MAX_FIELDS + 1)), {
      code: 400,
      message: `couldn't parse the body of the request as ${encoding}: it has more than 150000 fields, which is the limit`,
    });
  });

  test(`${encoding} with too many items is rejected, whatever its size`, () => {
    const items = (count: number) => ({ list: Array.from({ length: count }, () => ({})) });
    const half = items(MAX_VALUES / 2);
    assert.deepEqual(read(half), half);
    assert.throws(() => read(items(MAX_VALUES + 1)), {
      code: 400,
      message: `couldn't parse the body of the request as ${encoding}: it has more than 250000 fields and items, which is the limit`,
    });
  });
}

test('the parts of a string in CBOR are counted, too', () => {
  const parts = Buffer.concat([Buffer.from([0x5f]), Buffer.alloc(MAX_VALUES + 1, 0x40), Buffer.from([0xff])]);
  assert.throws(() => readCbor(parts), { message: /more than 250000 fields and items/ });
});
