import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FieldErrors, invalid, invalidValue, MAX_ERRORS } from './index.ts';

test('errors beyond the first thousand are counted, and their messages are never built', () => {
  const errors = new FieldErrors();
  let made = 0;
  for (let i = 0; i < 5000; i++) {
    errors.add(() => {
      made++;
      return invalidValue(`spec.list[${i}]`, i, 'is wrong');
    });
  }
  assert.deepEqual([made, errors.count, errors.list.length], [MAX_ERRORS, 5000, MAX_ERRORS + 1]);
  const { message, details } = invalid({ group: '', kind: 'Pod', name: 'web' }, errors.list).status;
  assert.match(message ?? '', /spec\.list\[999\]: Invalid value: 999: is wrong, and 4000 more\]$/);
  assert.equal(details?.causes?.at(-1)?.message, 'and 4000 more');
});

test('long errors are listed up to the one that crosses the limit', () => {
  const errors = new FieldErrors();
  for (let i = 0; i < 10; i++) errors.add(() => invalidValue('data', 'x'.repeat(60_000), 'is wrong'));
  assert.deepEqual([errors.count, errors.list.length], [10, 6]);
});

test('errors of several rules have a common limit, and the unlisted ones are counted in one entry', () => {
  const many = () => {
    const errors = new FieldErrors();
    errors.add(() => invalidValue('data', 1, 'is wrong'), 1200);
    return errors.list;
  };
  const { status } = invalid({ group: '', kind: 'Pod', name: 'web' }, [...many(), ...many()]);
  assert.equal(status.details?.causes?.length, MAX_ERRORS + 1);
  assert.equal(status.details?.causes?.at(-1)?.message, 'and 1400 more');
});

test('a very long value is cut in the message', () => {
  const { message } = invalidValue('data', 'x'.repeat(100_000), 'is wrong');
  assert.ok(message.length < 70_000 && message.endsWith('...": is wrong'));
});
