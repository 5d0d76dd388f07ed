import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonPath } from './json-path.ts';

const OBJECT = {
  spec: { replicas: 3 },
  metadata: { annotations: { 'example.com/x': 'y', 'a.b': 'c' } },
  items: [
    { name: 'one', weight: 1, isLast: false },
    { name: 'two', weight: 2, inner: { name: 'deep' } },
    { name: 'three', weight: 3, isLast: true },
  ],
  tags: ['a', 'b', 'c', 'd', 'e'],
};

/** The result of each path. */
const FOUND: ReadonlyArray<readonly [path: string, found: unknown[]]> = [
  ['', [OBJECT]],
  ['.spec.replicas', [3]],
  ['{.spec.replicas}', [3]],
  ['$.spec.replicas', [3]],
  ['.spec.absent', []],
  ['.spec.replicas.deeper', []],
  ['.metadata.annotations.example\\.com/x', ['y']],
  [".metadata.annotations['a.b']", ['c']],
  ['.metadata.annotations["example.com/x"]', ['y']],
  ['.tags[0]', ['a']],
  ['.tags[-1]', ['e']],
  ['.tags[9]', []],
  ['.spec[0]', []],
  ['.tags[1:3]', ['b', 'c']],
  ['.tags[:2]', ['a', 'b']],
  ['.tags[3:]', ['d', 'e']],
  ['.tags[0:5:2]', ['a', 'c', 'e']],
  ['.tags[0:2:0]', ['a', 'b']],
  ['.tags[*]', ['a', 'b', 'c', 'd', 'e']],
  ['.spec.*', [3]],
  ['.spec.replicas.*', []],
  ['..name', ['one', 'two', 'three', 'deep']],
  ['.items[1]..*', ['two', 2, { name: 'deep' }, 'deep']],
  ['.items[?(@.name=="two")].weight', [2]],
  ["[?(@.name!='two')].weight", []],
  ['.items[?(@.weight>1)].name', ['two', 'three']],
  ['.items[?(@.weight>=2)].name', ['two', 'three']],
  ['.items[?(@.weight<2)].name', ['one']],
  ['.items[?(@.weight<=2)].name', ['one', 'two']],
  ['.items[?(@.name>"one")].name', ['two', 'three']],
  ['.items[?(@.name>1)].name', []],
  ['.items[?(@.isLast==true)].name', ['three']],
  ['.items[?(@.inner)].name', ['two']],
  ['.tags[?(@=="c")]', ['c']],
  ['.tags[?(@==c)]', ['c']],
];

for (const [path, found] of FOUND) {
  test(`the path ${JSON.stringify(path)} has the result of kubectl`, () => {
    assert.deepEqual(jsonPath(path)?.(OBJECT), found);
  });
}

for (const path of ['.a b', '[', '.a[', '.a[x]', '[?(@.a b==1)]', "['a'", '.a()']) {
  test(`${JSON.stringify(path)} is not a path`, () => {
    assert.equal(jsonPath(path), undefined);
  });
}
