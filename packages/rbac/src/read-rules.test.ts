import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRules } from './read-rules.ts';

test('null lists and null rules are read as empty', () => {
  assert.deepEqual(readRules([{ verbs: null, resources: ['pods'] }, null, { verbs: ['get'] }]), [
    { resources: ['pods'] },
    {},
    { verbs: ['get'] },
  ]);
  for (const none of [undefined, null, {}, 'rules']) assert.deepEqual(readRules(none), []);
});
