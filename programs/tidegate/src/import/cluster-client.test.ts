import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseExactly } from './cluster-client.ts';

test('Numbers of any size and keys of any name are kept unchanged.', () => {
  const text =
    '{"large":9223372036854775807,"long":0.12345678901234567890,"small":-7,"list":[18446744073709551615],"__proto__":{"a":"1"}}';
  assert.equal(JSON.stringify(parseExactly(text)), text);
  assert.equal(JSON.stringify(parseExactly('{"a":[1,2.5,"x",null,true]}')), '{"a":[1,2.5,"x",null,true]}');
});
