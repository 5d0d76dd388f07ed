import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anonymousAt, NOWHERE, USUAL_PATHS } from './authenticator.ts';

const isOpen = (url: string) => anonymousAt(url, USUAL_PATHS) !== undefined;

test('health, the version and the paths below them accept anonymous requests', () => {
  for (const url of ['/livez', '/readyz?verbose', '/healthz', '/version', '/version/', '/livez/ping', '/readyz/store'])
    assert.ok(isOpen(url), url);
});

test('no other path accepts them, however it is written', () => {
  for (const url of [
    '/',
    '',
    '/api',
    '/metrics',
    '/livezz',
    '/versions',
    '//livez',
    '/%6civez',
    '/LIVEZ',
    '/x?/livez',
    '*',
    '/livez/../api',
  ])
    assert.ok(!isOpen(url), url);
});

test('configured paths are exact, and the list may be empty', () => {
  const paths = { exact: new Set(['/livez']), below: [] };
  assert.equal(anonymousAt('/livez?x', paths)?.name, 'system:anonymous');
  assert.equal(anonymousAt('/livez/ping', paths), undefined);
  assert.equal(anonymousAt('/livez', NOWHERE), undefined);
  assert.equal(anonymousAt('/api', 'all')?.name, 'system:anonymous');
});
