import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headerElements, mediaTypeOf, splitOutsideQuotes } from './header-elements.ts';

const elements = (header: string) => headerElements(header).map(({ value, parameters }) => [value, { ...parameters }]);

test('separators inside quotes are ignored', () => {
  assert.deepEqual(elements('text/a;x="b, c;d" ; Q="0.5", text/e , , text/f;g=h'), [
    ['text/a', { x: 'b, c;d', q: '0.5' }],
    ['text/e', {}],
    ['text/f', { g: 'h' }],
  ]);
  assert.deepEqual(elements('a;b="c\\"d,\\\\";e = f'), [['a', { b: 'c"d,\\', e: 'f' }]]);
  assert.deepEqual(elements('a;b="c, d;e'), [['a', { b: 'c, d;e' }]]);
  assert.deepEqual(elements('a;__proto__=b'), [['a', { ['__proto__']: 'b' }]]);
  assert.deepEqual(elements(''), []);
  assert.deepEqual(splitOutsideQuotes('W/"a,b", "c"', ','), ['W/"a,b"', '"c"']);
});

test('a Content-Type is its media type, whatever well-formed parameters it has', () => {
  for (const text of [
    'application/json',
    ' Application/JSON ;charset=utf-8',
    'application/json; charset="utf-8"',
    'application/json;x="a;b,c\\"";y=z;',
  ]) {
    assert.equal(mediaTypeOf(text), 'application/json', text);
  }
  for (const parameters of ['x', 'x=', 'x="', 'x="a"b', '=a', 'a=b;A=c', 'x=a b', 'x=a, application/yaml']) {
    assert.equal(mediaTypeOf(`application/json;${parameters}`), undefined, parameters);
  }
});
