import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../temporary-directory.ts';
import { findNats, type NatsFound } from './find.ts';
import type { Source } from './sources.ts';

const closing = new AbortController().signal;

/** A stand-in that only knows its version. */
function program(file: string, version: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho "nats-server: v${version}"\n`);
  chmodSync(file, 0o755);
}

const working: Source = {
  name: 'works',
  doing: 'fetching',
  description: 'fetched',
  pinned: true,
  fetch: async ({ target }) => program(target, '2.15.2'),
};
const failing: Source = {
  name: 'fails',
  doing: 'trying',
  description: '',
  pinned: false,
  fetch: async () => {
    throw new Error('no route\nmore words');
  },
};

function find(cacheDir: string, sources: readonly Source[], path = ''): Promise<NatsFound> {
  return findNats({ cacheDir, sources, env: { PATH: path }, closing, during: (_, work) => work });
}

test('A nats-server on the path is preferred.', async () => {
  const bin = temporaryDirectory();
  program(join(bin, 'nats-server'), '2.11.0');
  const found = await find(temporaryDirectory(), [working], `/absent:${bin}`);
  assert.deepEqual(found, { kind: 'found', path: join(bin, 'nats-server'), description: 'NATS 2.11.0 from the path' });
});

test('A nats-server on the path that is too old is ignored.', async () => {
  const bin = temporaryDirectory();
  program(join(bin, 'nats-server'), '2.8.4');
  const found = await find(temporaryDirectory(), [working], bin);
  assert.ok(found.kind === 'found' && found.description === 'NATS 2.15.2, fetched');
});

test('A fetched nats-server is found in the cache.', async () => {
  const cache = temporaryDirectory();
  await find(cache, [working]);
  const again = await find(cache, [{ ...working, fetch: () => Promise.reject(new Error('fetched twice')) }]);
  assert.equal(again.kind, 'found');
});

test('When a source fails its files are removed, and the next source is tried.', async () => {
  const cache = temporaryDirectory();
  assert.equal((await find(cache, [failing, working])).kind, 'found');
  assert.deepEqual(readdirSync(join(cache, 'nats-server-from-fails')), []);
});

test('When all sources fail, the result names a file with the reasons.', async () => {
  const cache = temporaryDirectory();
  const file = join(cache, 'nats-not-found');
  const again = { ...failing, name: 'fails-too' };
  assert.deepEqual(await find(cache, [failing, again]), {
    kind: 'none',
    reason: `fetching it failed; the reasons are in ${file}`,
  });
  assert.equal(readFileSync(file, 'utf8'), 'fails: no route\nfails-too: no route\n');
});

test('After a failure the sources are not tried for an hour.', async () => {
  const cache = temporaryDirectory();
  await find(cache, [failing]);
  assert.equal((await find(cache, [working])).kind, 'none');
  const marker = join(cache, 'nats-not-found');
  assert.ok(existsSync(marker));
  utimesSync(marker, 0, Date.now() / 1000 - 3601);
  assert.equal((await find(cache, [working])).kind, 'found');
});
