import assert from 'node:assert/strict';
import { test } from 'node:test';
import { circleViolations } from './circle-rules.ts';

const file = (path: string, ...imports: string[]) => ({
  path: `packages/wire/src/${path}`,
  text: imports.map((from) => `import type { A } from '${from}';`).join('\n'),
});
const advice = 'import each other; move what both need into a lower file, or allow it in scripts/circle-rules.ts';

test('Files that import each other are a violation, also by types and through a third file.', () => {
  const files = [
    file('a.ts', './inner/b.ts'),
    file('inner/b.ts', '../c.ts'),
    file('c.ts', './a.ts'),
    file('d.ts', './a.ts'),
  ];
  assert.deepEqual(circleViolations(files, []), [
    `packages/wire/src/a.ts, packages/wire/src/c.ts, packages/wire/src/inner/b.ts: ${advice}`,
  ]);
});

test('Two circles are two violations.', () => {
  const files = [
    file('a.ts', './b.ts'),
    file('b.ts', './a.ts', './c.ts'),
    file('c.ts', './d.ts'),
    file('d.ts', './c.ts'),
  ];
  assert.deepEqual(circleViolations(files, []).sort(), [
    `packages/wire/src/a.ts, packages/wire/src/b.ts: ${advice}`,
    `packages/wire/src/c.ts, packages/wire/src/d.ts: ${advice}`,
  ]);
});

test('Files that two others import, and a file that imports itself, are not a violation.', () => {
  const files = [file('a.ts', './b.ts', './c.ts'), file('b.ts', './c.ts'), file('c.ts', './c.ts')];
  assert.deepEqual(circleViolations(files, []), []);
});

test('A circle of the table is allowed; an entry without a circle is a violation.', () => {
  const files = [file('a.ts', './b.ts'), file('b.ts', './a.ts')];
  const allowed = [{ files: files.map(({ path }) => path), why: 'each is half of one grammar' }];
  assert.deepEqual(circleViolations(files, allowed), []);
  assert.deepEqual(circleViolations([], allowed), [
    'packages/wire/src/a.ts, packages/wire/src/b.ts: do not form a circle any more; remove the entry from scripts/circle-rules.ts',
  ]);
});

test('Services are not checked.', () => {
  const files = [file('a.ts', './b.ts'), file('b.ts', './a.ts')];
  const moved = files.map(({ path, text }) => ({ path: path.replace('packages/wire', 'services/store'), text }));
  assert.deepEqual(circleViolations(moved, []), []);
});
