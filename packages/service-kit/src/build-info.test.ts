import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { BUILD_FILE, buildInfo } from './build-info.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-build-')));
after(() => rmSync(root, { recursive: true, force: true }));

const git = (...args: string[]) =>
  execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
    encoding: 'utf8',
    env: { ...process.env, GIT_COMMITTER_DATE: '2026-03-04T05:06:07Z' },
  }).trim();

test('Without a build file and a repository the commit is unknown.', async () => {
  assert.deepEqual(await buildInfo(root), { commit: '', treeState: 'clean', date: '1970-01-01T00:00:00Z' });
});

test('A checkout has the commit and date of Git, and is dirty if files have changed.', async (t) => {
  try {
    git('init', '-q');
  } catch {
    return t.skip('needs git: https://git-scm.com/downloads');
  }
  writeFileSync(join(root, 'a'), '1');
  git('add', 'a');
  git('commit', '-qm', 'a');
  const commit = git('rev-parse', 'HEAD');
  assert.deepEqual(await buildInfo(root), { commit, treeState: 'clean', date: '2026-03-04T05:06:07Z' });
  writeFileSync(join(root, 'a'), '2');
  assert.equal((await buildInfo(root)).treeState, 'dirty');
});

test('The build file takes precedence over Git.', async () => {
  writeFileSync(join(root, BUILD_FILE), JSON.stringify({ commit: 'abc', date: '2026-01-02T03:04:05Z' }));
  assert.deepEqual(await buildInfo(root), { commit: 'abc', treeState: 'clean', date: '2026-01-02T03:04:05Z' });
});
