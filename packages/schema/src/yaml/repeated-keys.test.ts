import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeYaml } from './decode.ts';

const linesOf = (text: string) => decodeYaml(Buffer.from(text)).notes?.lines;

test('it is told on which lines the values of keys stand that stand again', () => {
  const text = ['', 'a: 1', 'b:', '  - {c: 1, d: {c: 2}, c: 3}', '  - c: 4', '"a": 5', '? a', ': 6', 'd: a'].join('\n');
  const again = (line: number, key: string) => `line ${line}: key "${key}" already set in map`;
  assert.deepEqual(linesOf(text), [again(4, 'c'), again(6, 'a'), again(8, 'a')]);
  assert.equal(linesOf('a: 1\nb: a\n'), undefined);
});

test('of very many the first are told', () => {
  const text = 'a: 1\n'.repeat(150_000);
  assert.equal(linesOf(text)?.length, 100);
});
