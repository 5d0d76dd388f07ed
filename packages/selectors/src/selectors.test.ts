import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFieldSelector, parseLabelSelector } from './index.ts';

const cases: ReadonlyArray<[selector: string, labels: Record<string, string>, matches: boolean]> = [
  ['a', { a: '' }, true],
  ['a', {}, false],
  ['!a', {}, true],
  ['a=b', { a: 'b' }, true],
  ['a==b', { a: 'c' }, false],
  ['a!=b', {}, true],
  ['a!=b', { a: 'b' }, false],
  ['a in (b, c)', { a: 'c' }, true],
  ['a in (b,c)', {}, false],
  ['a notin (b,c)', {}, true],
  ['a notin (b,c)', { a: 'b' }, false],
  ['a>3', { a: '10' }, true],
  ['a<3', { a: 'x' }, false],
  ['example.com/a=b,c', { 'example.com/a': 'b', c: '1' }, true],
  ['a=', { a: '' }, true],
];

for (const [selector, labels, matches] of cases) {
  test(`${JSON.stringify(selector)} ${matches ? 'selects' : 'does not select'} ${JSON.stringify(labels)}`, () => {
    assert.equal(parseLabelSelector(selector)?.matches(labels), matches);
  });
}

for (const bad of ['a b', '=', 'a in', 'a in (b', 'a,,b', 'a=b=c', '-x', 'a>b']) {
  test(`the label selector ${JSON.stringify(bad)} is rejected with 400`, () => {
    assert.throws(() => parseLabelSelector(bad), { code: 400 });
  });
}

test('a field selector compares fields, with escaped commas in values', () => {
  const selector = parseFieldSelector('metadata.name=a\\,b,metadata.namespace!=x', () => true);
  const fieldOf = (name: string) => (field: string) => (field === 'metadata.name' ? name : 'y');
  assert.equal(selector?.matches(fieldOf('a,b')), true);
  assert.equal(selector?.matches(fieldOf('a')), false);
});

test('the error for a field that the kind does not support names the field', () => {
  assert.throws(() => parseFieldSelector('spec.x=1', () => false), /field label not supported: spec.x/);
});
