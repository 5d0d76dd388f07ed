import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figuresOf } from './figures.ts';

const lines = (count: number, first = '') => `${first}${'x;\n'.repeat(count - (first === '' ? 0 : 1))}`;

test('Files, lines, tiny files and rooms are counted without tests.', () => {
  const {
    files,
    lines: all,
    medianLines,
    largest,
    tiny,
    rooms,
  } = figuresOf([
    { path: 'main.ts', text: lines(5) },
    { path: 'verbs/get.ts', text: lines(40) },
    { path: 'verbs/list.ts', text: lines(90) },
    { path: 'verbs/list.test.ts', text: lines(500) },
    { path: 'testing/fixture.ts', text: lines(500) },
  ]);
  assert.deepEqual(
    { files, all, medianLines, largest, tiny },
    {
      files: 3,
      all: 135,
      medianLines: 40,
      largest: { path: 'verbs/list.ts', lines: 90 },
      tiny: ['main.ts'],
    },
  );
  assert.deepEqual(
    [...rooms],
    [
      ['main.ts', 1],
      ['verbs', 2],
    ],
  );
});

test('Imports between rooms are counted once for each file.', () => {
  const text = "import { a } from '../codec/a.ts';\nimport { b } from '../codec/b.ts';\nimport { c } from './c.ts';\n";
  const { arrows } = figuresOf([
    { path: 'verbs/get.ts', text },
    { path: 'verbs/list.ts', text },
  ]);
  assert.deepEqual([...arrows], [['verbs -> codec', 2]]);
});
