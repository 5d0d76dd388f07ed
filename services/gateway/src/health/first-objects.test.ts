import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIRST_OBJECTS, FirstObjects } from './first-objects.ts';

const HOOKS = Object.keys(FIRST_OBJECTS);
const retry = { failed: async () => {}, succeeded: () => {} };

test('Each hook is done when all its objects were found, and then nothing is read any more.', async () => {
  const there = new Set<string>();
  const asked: string[] = [];
  const objects = new FirstObjects({
    exists: async ({ resource, name }) => {
      asked.push(name);
      // they are made one after another
      if (asked.length % 3 === 0) there.add(`${resource}/${name}`);
      return there.has(`${resource}/${name}`);
    },
    retry,
  });
  for (const hook of HOOKS) assert.equal(objects.areThere(hook), false, hook);
  await objects.run(new AbortController().signal);
  for (const hook of HOOKS) assert.equal(objects.areThere(hook), true, hook);
  const before = asked.length;
  await objects.run(new AbortController().signal);
  assert.equal(asked.length, before);
});

test('The hooks stay open while the store is unreachable, and are done when it answers.', async () => {
  let attempts = 0;
  const objects = new FirstObjects({
    exists: async () => {
      if (++attempts < 30) throw new Error('no store answers');
      return true;
    },
    retry,
  });
  await objects.run(new AbortController().signal);
  assert.ok(HOOKS.every((hook) => objects.areThere(hook)));
});
