import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  deadFileNames,
  deadLinks,
  foreignTexts,
  linksOf,
  missingReadmes,
  unexplainedDependencies,
} from './doc-rules.ts';

const present = new Set(['README.md', 'docs/flow.md', 'docs/decisions', 'services/a/src/b.ts', 'packages/a/README.md']);
const exists = (path: string): boolean => present.has(path);

test('Links are found inline, as references and in HTML, and not in code.', () => {
  const text = [
    '[a](one.md) ![b](two.png "title") [c](<three.md>)',
    '[d]: four.md',
    '<img src="five.svg">',
    '`[e](not.md)`',
    '```\n[f](nor-this.md)\n```',
  ].join('\n');
  assert.deepEqual(linksOf(text), ['one.md', 'two.png', 'three.md', 'four.md', 'five.svg']);
});

test('A relative link to a file that does not exist is a violation; URLs and anchors are not checked.', () => {
  const text =
    '[a](../README.md#top) [b](decisions) [c](gone.md) [d](https://example.com/x) [e](#here) [f](/README.md)';
  assert.deepEqual(deadLinks({ path: 'docs/flow.md', text }, exists), [
    'docs/flow.md: links to gone.md, which does not exist',
  ]);
});

test('A source file that is named in backticks must exist; other words in backticks need not.', () => {
  const text = '`services/a/src/b.ts`, `services/a/src/gone.ts`, `a/gone.sql`, `b.ts`, `and/or`, `GET /api/v1`';
  assert.deepEqual(deadFileNames({ path: 'docs/flow.md', text }, exists), [
    'docs/flow.md: names services/a/src/gone.ts, which does not exist',
    'docs/flow.md: names a/gone.sql, which does not exist',
  ]);
});

test('A package or service without a README is a violation.', () => {
  const workspaces = ['', 'packages/a', 'services/b', 'test'].map((dir) => ({ dir, name: dir, dependencies: [] }));
  assert.deepEqual(missingReadmes(workspaces, exists), ['services/b: has no README.md']);
});

test('A dependency that the page does not name is a violation; packages of the project need no reason.', () => {
  const page = { path: 'deps.md', text: 'We use `fastify` for HTTP, and pino.' };
  const workspaces = [{ dir: 'services/a', name: 'a', dependencies: ['fastify', 'pino', '@tidegate/wire'] }];
  assert.deepEqual(unexplainedDependencies(page, workspaces), [
    'deps.md: does not say why services/a/package.json needs pino',
  ]);
});

test('A path of one machine is a violation, except in tests.', () => {
  const text = 'fine\nsee /work/shared/x\nor "/root/.cache"\nor /home/ann/code';
  assert.deepEqual(foreignTexts({ path: 'a.md', text }), [
    'a.md:2: names a path of one machine: /work/shared',
    'a.md:3: names a path of one machine: /root/.cache',
    'a.md:4: names a path of one machine: /home/ann',
  ]);
  assert.deepEqual(foreignTexts({ path: 'a.test.ts', text }), []);
});

test('A similar path is not a violation.', () => {
  const text = 'https://example.com/work/a src/root/b ~/work/c the /home page, $HOME/root/d';
  assert.deepEqual(foreignTexts({ path: 'a.md', text }), []);
});

test('A package registry is a violation.', () => {
  const text = 'https://registry.npmjs.org/x\nGOPROXY=https://proxy.golang.org';
  assert.deepEqual(foreignTexts({ path: 'a.json', text }), [
    'a.json:1: names a package registry: registry.npmjs.org',
    'a.json:2: names a package registry: proxy.golang.org',
  ]);
});
