import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { sharedLookups } from './service-accounts.ts';

test('requests of one turn share a lookup, and none joins a lookup that was already sent', async () => {
  const begun: string[] = [];
  let answer = (_uid: string) => {};
  const look = sharedLookups(({ name }) => {
    begun.push(name);
    return new Promise((resolve) => {
      answer = resolve;
    });
  });
  const key = (name: string) => ({ resource: 'serviceaccounts', namespace: 'demo', name });
  const together = [look(key('a')), look(key('a'))];
  await setImmediate();
  answer('one');
  assert.deepEqual([await Promise.all(together), begun], [['one', 'one'], ['a']]);
  const first = look(key('a'));
  await setImmediate();
  const answerFirst = answer;
  const second = look(key('a'));
  await setImmediate();
  answerFirst('old');
  answer('new');
  assert.deepEqual([await first, await second, begun.length], ['old', 'new', 3]);
});
