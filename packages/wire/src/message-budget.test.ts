import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grpcHealth, store } from './contracts.ts';

const { requestSerialize: encode, requestDeserialize: decode } = store.session as {
  requestSerialize: (message: object) => Buffer;
  requestDeserialize: (bytes: Buffer) => { writes?: object[]; reads?: object[] };
};
const key = (i: number) => ({ resource: 'configmaps', namespace: 'default', name: `n${i}` });
const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

test('a message of a few large writes and a message of many small reads are decoded', () => {
  const large = { writes: many(8, (i) => ({ key: key(i), value: Buffer.alloc(3 << 20) })) };
  assert.equal(decode(encode(large)).writes?.length, 8);
  assert.equal(decode(encode({ reads: many(20_000, key) })).reads?.length, 20_000);
});

test('a message of very many parts is rejected, also when the parts are nested', () => {
  const nested = { writes: [{ key: key(1), joined: [{ claims: many(300_000, () => '') }] }] };
  for (const message of [{ reads: many(300_000, () => ({})) }, nested]) {
    assert.throws(() => decode(encode(message)), {
      message: /SessionRequest has more than 200000 parts and is rejected/,
    });
  }
});

test('the bound also holds for a method without direct serializers', () => {
  const unknownFields = Buffer.from('\x50\x01'.repeat(300_000), 'latin1');
  const { requestDeserialize } = grpcHealth.check as { requestDeserialize: (bytes: Buffer) => object };
  assert.throws(() => requestDeserialize(unknownFields), { message: /HealthCheckRequest has more than 200000 parts/ });
});
