import assert from 'node:assert/strict';
import { test } from 'node:test';
import { booleanArray, byteaText, numberArray, textArray } from './array-text.ts';

test('Texts are quoted, and quotes and backslashes in them are escaped.', () => {
  assert.equal(textArray(['a', 'b c', '']), '{"a","b c",""}');
  assert.equal(textArray(['say "x"', 'a\\b', 'plain']), '{"say \\"x\\"","a\\\\b","plain"}');
  assert.equal(textArray(['","']), '{"\\",\\""}');
});

test('An empty array is {} and not an array with one empty text.', () => {
  assert.equal(textArray([]), '{}');
  assert.equal(textArray(['']), '{""}');
  assert.equal(numberArray([]), '{}');
});

test('Numbers and booleans are joined.', () => {
  assert.equal(numberArray([1, -2]), '{1,-2}');
  assert.equal(booleanArray([true, false]), '{true,false}');
});

test('Bytes are hexadecimal, all parts one after the other.', () => {
  assert.equal(byteaText([Buffer.from('ab'), new Uint8Array(0), new Uint8Array([0, 255])]), '\\x616200ff');
});
