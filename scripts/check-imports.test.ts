import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importViolations, specifiersOf, type Workspace } from './import-rules.ts';

const workspaces: Workspace[] = [
  { dir: '', name: 'tidegate', dependencies: [] },
  { dir: 'packages/status', name: '@tidegate/status', dependencies: ['@tidegate/wire', '@tidegate/store'] },
  { dir: 'packages/wire', name: '@tidegate/wire', dependencies: ['@tidegate/status', '@tidegate/schema'] },
  { dir: 'packages/schema', name: '@tidegate/schema', dependencies: ['@tidegate/status'] },
  { dir: 'services/store', name: '@tidegate/store', dependencies: ['@tidegate/wire', '@tidegate/watch'] },
  { dir: 'services/watch', name: '@tidegate/watch', dependencies: [] },
  { dir: 'programs/backup', name: '@tidegate/backup', dependencies: ['@tidegate/wire', '@tidegate/store'] },
  { dir: 'test', name: '@tidegate/test', dependencies: ['@tidegate/wire'] },
];

function violations(path: string, text: string): string[] {
  return importViolations([{ path, text }], workspaces);
}

test('A service may use a package that it declares, and its own files.', () => {
  const text = `import type { Key } from '@tidegate/wire';\nimport { a } from '../storage/a.ts';\nimport 'node:fs';`;
  assert.deepEqual(violations('services/store/src/rpc/b.ts', text), []);
});

test('A service that imports another service is a violation, by name and by path.', () => {
  const lines = violations(
    'services/store/src/a.ts',
    `import { b } from '@tidegate/watch';\nimport { c } from '../../watch/src/c.ts';`,
  );
  assert.deepEqual(lines, [
    "services/store/src/a.ts: '@tidegate/watch' is another service: services communicate only by gRPC",
    "services/store/src/a.ts: '../../watch/src/c.ts' is another service: services communicate only by gRPC",
  ]);
});

test('A package that imports a service is a violation, although it declares it.', () => {
  assert.deepEqual(violations('packages/status/src/a.ts', `export { b } from '@tidegate/store';`), [
    "packages/status/src/a.ts: '@tidegate/store' is a service: packages never import one",
  ]);
});

test('A program may use packages, and its tests may use the testing folder of a service.', () => {
  assert.deepEqual(violations('programs/backup/src/a.ts', `import type { Key } from '@tidegate/wire';`), []);
  assert.deepEqual(violations('programs/backup/src/a.test.ts', `import { b } from '@tidegate/store/testing';`), []);
});

test('A program that imports a service is a violation.', () => {
  for (const specifier of ['@tidegate/store', '@tidegate/store/testing']) {
    assert.deepEqual(violations('programs/backup/src/a.ts', `import { b } from '${specifier}';`), [
      `programs/backup/src/a.ts: '${specifier}' is a service: programs never import one`,
    ]);
  }
});

test('Nothing imports a program.', () => {
  for (const path of ['packages/wire/src/a.ts', 'services/store/src/a.ts', 'test/a.ts']) {
    assert.deepEqual(violations(path, `import { b } from '@tidegate/backup';`), [
      `${path}: '@tidegate/backup' is a program: nothing imports one`,
    ]);
  }
});

test('A package that imports a higher ring is a violation.', () => {
  assert.deepEqual(violations('packages/status/src/a.ts', `import { b } from '@tidegate/wire';`), [
    "packages/status/src/a.ts: '@tidegate/wire' is in ring 1, and packages/status in ring 0: a package uses lower rings only",
  ]);
});

test('A package that imports its own ring is a violation.', () => {
  assert.deepEqual(violations('packages/wire/src/a.ts', `import { b } from '@tidegate/schema';`), [
    "packages/wire/src/a.ts: '@tidegate/schema' is in ring 1, and packages/wire in ring 1: a package uses lower rings only",
  ]);
});

test('A package without a place in the rings is a violation.', () => {
  const unlisted = { dir: 'packages/unlisted', name: '@tidegate/unlisted', dependencies: [] };
  assert.deepEqual(importViolations([], [unlisted]), [
    'packages/unlisted: belongs to no ring; add it to scripts/import-rules.ts',
  ]);
});

test('An import that package.json does not declare is a violation.', () => {
  assert.deepEqual(violations('services/watch/src/a.ts', `import { b } from '@tidegate/wire';`), [
    "services/watch/src/a.ts: '@tidegate/wire' is not declared in services/watch/package.json",
  ]);
});

test('An import of a package that does not exist is a violation.', () => {
  assert.deepEqual(violations('test/a.ts', `import { b } from '@tidegate/nothing';`), [
    "test/a.ts: '@tidegate/nothing' is no package of this project",
  ]);
});

test('An import from inside another package is a violation, by name and by path.', () => {
  const text = `import { a } from '@tidegate/wire/src/a.ts';\nimport { b } from '../packages/wire/src/b.ts';`;
  assert.deepEqual(violations('test/a.ts', text), [
    "test/a.ts: '@tidegate/wire/src/a.ts' reaches into packages/wire: only the exports of its index may be used",
    "test/a.ts: '../packages/wire/src/b.ts' reaches into packages/wire: only the exports of its index may be used",
  ]);
});

test('Every form of import is found: over several lines, for its effect, re-exported, on demand.', () => {
  const text = [
    "import {\n  a,\n  type B,\n} from 'one';",
    "import 'two';",
    "export * from 'three';",
    "export { c } from 'four';",
    "const d = await import('five');",
    'const text = "import { e } from \'not this\'";',
    "// import { f } from 'nor this'",
    "export const g = 'nor that';",
  ].join('\n');
  assert.deepEqual(specifiersOf(text), ['one', 'two', 'three', 'four', 'five']);
});
