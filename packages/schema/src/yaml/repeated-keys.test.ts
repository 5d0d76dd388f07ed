import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeYaml } from './decode.ts';

const linesOf = (text: string) => decodeYaml(Buffer.from(text)).notes?.lines;

test('repeated keys are reported with the lines of their values', () => {
  const text = ['', 'a: 1', 'b:', '  - {c: 1, d: {c: 2}, c: 3}', '  - c: 4', '"a": 5', '? a', ': 6', 'd: a'].join('\n');
  const again = (line: number, key: string) => `line ${line}: key "${key}" already set in map`;
  assert.deepEqual(linesOf(text), [again(4, 'c'), again(6, 'a'), again(8, 'a')]);
  assert.equal(linesOf('a: 1\nb: a\n'), undefined);
});

test('only the first repeated keys are reported', () => {
  const text = 'a: 1\n'.repeat(150_000);
  assert.equal(linesOf(text)?.length, 100);
});
