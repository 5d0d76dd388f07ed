import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roomViolations } from './room-rules.ts';

const order = ['main.ts', 'rpc', 'storage', 'metrics.ts'];
const importing = (...paths: string[]) => paths.map((path) => `import { a } from '${path}';`).join('\n');
/** One file for each room, so that no room of the order is missing. */
const rooms = { 'main.ts': '', 'rpc/a.ts': '', 'storage/b.ts': '', 'metrics.ts': '' };

function violations(texts: Record<string, string>, exceptions: string[] = []): string[] {
  const files = Object.entries({ ...rooms, ...texts }).map(([path, text]) => ({
    path: `services/a/src/${path}`,
    text,
  }));
  return roomViolations(files, { 'services/a': { order, exceptions } });
}

test('A file may import from its own room and from every room below.', () => {
  const texts = {
    'main.ts': importing('./rpc/a.ts', './metrics.ts'),
    'rpc/a.ts': importing('./c.ts', '../storage/b.ts', '@tidegate/wire', 'node:fs'),
    'rpc/c.ts': importing('../metrics.ts'),
  };
  assert.deepEqual(violations(texts), []);
});

test('An import from a room above is a violation, also if it only imports types.', () => {
  assert.deepEqual(violations({ 'storage/b.ts': `import type { A } from '../rpc/a.ts';` }), [
    'services/a/src/storage/b.ts: imports rpc/a.ts, and the room rpc is above storage',
  ]);
});

test('A file that imports itself through others is a violation, also inside one room.', () => {
  const texts = {
    'rpc/a.ts': importing('./c.ts'),
    'rpc/c.ts': importing('./d.ts', '../storage/b.ts'),
    'rpc/d.ts': `export type { A } from './a.ts';`,
  };
  assert.deepEqual(violations(texts), [
    'services/a/src/rpc/a.ts: imports itself in a circle: rpc/a.ts -> rpc/c.ts -> rpc/d.ts -> rpc/a.ts',
  ]);
});

test('A room without a place in the order is one violation, however much it imports.', () => {
  assert.deepEqual(violations({ 'cellar/x.ts': importing('../main.ts'), 'cellar/y.ts': importing('../rpc/a.ts') }), [
    'services/a/src/cellar: has no place in the order of rooms; add it to scripts/room-rules.ts',
  ]);
});

test('A room of the order that has no files is a violation.', () => {
  const files = [{ path: 'services/a/src/main.ts', text: '' }];
  assert.deepEqual(roomViolations(files, { 'services/a': { order: ['main.ts', 'rpc'], exceptions: [] } }), [
    'services/a/src/rpc: is in the order of rooms but has no files; remove it from scripts/room-rules.ts',
  ]);
});

test('Tests and benchmarks may import from every room.', () => {
  const texts = { 'storage/b.test.ts': importing('../rpc/a.ts'), 'service.test.ts': importing('./main.ts') };
  assert.deepEqual(violations(texts), []);
});

test('An exception allows an import from a room above, by rooms or by files.', () => {
  const texts = { 'storage/b.ts': importing('../rpc/a.ts') };
  assert.deepEqual(violations(texts, ['storage -> rpc']), []);
  assert.deepEqual(violations(texts, ['storage/b.ts -> rpc/a.ts']), []);
});

test('An exception of files allows a circle; an exception of rooms does not.', () => {
  const texts = { 'rpc/a.ts': importing('../storage/b.ts'), 'storage/b.ts': importing('../rpc/a.ts') };
  assert.deepEqual(violations(texts, ['storage/b.ts -> rpc/a.ts']), []);
  assert.deepEqual(violations(texts, ['storage -> rpc']), [
    'services/a/src/rpc/a.ts: imports itself in a circle: rpc/a.ts -> storage/b.ts -> rpc/a.ts',
  ]);
});

test('An exception that is not needed is a violation.', () => {
  assert.deepEqual(violations({}, ['storage -> rpc']), [
    "services/a: the exception 'storage -> rpc' is not needed; remove it from scripts/room-rules.ts",
  ]);
});

test('A workspace that is not in the table is not checked.', () => {
  const files = [{ path: 'services/b/src/storage/b.ts', text: importing('../rpc/a.ts') }];
  assert.deepEqual(roomViolations(files, {}), []);
});
