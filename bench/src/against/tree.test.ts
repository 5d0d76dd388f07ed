import assert from 'node:assert/strict';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { PROGRAM_SOURCES } from '@tidegate/local';
import { temporaryDir } from '@tidegate/testkit';
import { commitOf, mainOf } from './tree.ts';

test('The tree of a commit has its own packages, and the installed packages of others.', () => {
  const cache = temporaryDir('against');
  const main = mainOf(commitOf('HEAD') as string, cache.path);
  assert.ok(existsSync(main));
  const tree = realpathSync(main).slice(0, -PROGRAM_SOURCES.tidegate.length);
  const modules = join(dirname(dirname(dirname(dirname(main)))), 'node_modules');
  assert.equal(realpathSync(join(modules, '@tidegate', 'local')), join(tree, 'packages', 'local'));
  assert.equal(realpathSync(join(modules, '@tidegate', 'gateway')), join(tree, 'services', 'gateway'));
  for (const name of ['@grpc/grpc-js', 'fastify']) assert.ok(!realpathSync(join(modules, name)).startsWith(tree));
  cache.remove();
});

test('A commit that the clone does not have is undefined.', () => {
  assert.equal(commitOf('f'.repeat(40)), undefined);
  assert.equal(commitOf('--all'), undefined);
});
