import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FRESH, INDEX, Template } from './template.ts';

test('Every place of the index gets the number of the object, and every request another fresh number.', () => {
  const template = new Template(Buffer.from(`a-${INDEX} b-${INDEX} ${FRESH}`));
  assert.equal(template.fill(12).toString(), 'a-0000012 b-0000012 0000001');
  assert.equal(template.fill(9_999_999).toString(), 'a-9999999 b-9999999 0000002');
});
