import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeContinue, encodeContinue } from './continue-token.ts';

test('a token holds a revision, a start key as Kubernetes writes it, and an expiry time', () => {
  const text = encodeContinue({ revision: 123, after: { namespace: 'ns', name: 'name' } }, 1000);
  assert.equal(
    Buffer.from(text, 'base64url').toString(),
    '{"v":"meta.k8s.io/v1","rv":123,"start":"ns/name\\u0000","until":301000}',
  );
  const named = { revision: 123, after: { namespace: 'ns', name: 'name' } };
  assert.deepEqual(decodeContinue(text, 301_000), { ...named, isExpired: false });
  assert.deepEqual(decodeContinue(text, 301_001), { ...named, isExpired: true });
});

test('a token without a snapshot never expires', () => {
  const text = encodeContinue({ revision: -1, after: { namespace: '', name: 'name' } }, 1000);
  assert.deepEqual(decodeContinue(text, 1e15), {
    revision: -1,
    after: { namespace: '', name: 'name' },
    isExpired: false,
  });
});

test('a start key may have dots in its name', () => {
  for (const name of ['a.b', '...', 'kube-root-ca.crt', '.hidden']) {
    const text = encodeContinue({ revision: 1, after: { namespace: 'ns', name } });
    assert.equal(decodeContinue(text).after.name, name);
  }
});

test('a start key that leaves its collection, or cannot be a name, is rejected', () => {
  for (const start of ['..\0', 'a/..\0', './a\0', 'a//b\0', 'a/b/c\0', '\0', 'a\0b\0', 'a\nb\0', '\u0085\0']) {
    const text = Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: 1, start })).toString('base64url');
    assert.throws(() => decodeContinue(text), /its start key is not a valid path/, JSON.stringify(start));
  }
});
