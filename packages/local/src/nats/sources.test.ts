import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from '../temporary-directory.ts';
import { checksumOf, natsSources, PINNED_VERSION, type Source, type SourceContext } from './sources.ts';

const sum = 'a'.repeat(64);

test('A checksum is found by the name of its file.', () => {
  assert.equal(checksumOf(`${'b'.repeat(64)}  other.tar.gz\n${sum}  nats.tar.gz\n`, 'nats.tar.gz'), sum);
});

test('A release without a checksum for the file is rejected.', () => {
  assert.throws(() => checksumOf(`${sum}  other.tar.gz\n`, 'nats.tar.gz'), /names no checksum for nats\.tar\.gz/);
});

/** A context with these programs first on the PATH. */
function surroundings(programs: Readonly<Record<string, string>>): SourceContext & { readonly place: string } {
  const place = temporaryDirectory();
  const [bin, workDir] = [join(place, 'bin'), join(place, 'work')];
  for (const dir of [bin, workDir]) mkdirSync(dir);
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\nset -e\n${script}\n`, { mode: 0o755 });
  }
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, GOFLAGS: '-mod=mod -v', GOOS: 'plan9' };
  const target = join(place, 'nats-server');
  return { place, workDir, target, env, closing: new AbortController().signal };
}

function sourceNamed(name: string): Source {
  return natsSources.find((source) => source.name === name) as Source;
}

test("Go builds the pinned version for this machine, whatever the user's settings are.", async () => {
  const context = surroundings({
    go: `echo "$* GOFLAGS=$GOFLAGS GOOS=$GOOS" >>"$GOBIN/../said"\nif [ "$1" = install ]; then echo built >"$GOBIN/nats-server"; fi`,
  });
  await sourceNamed('go').fetch(context);
  assert.equal(readFileSync(context.target, 'utf8'), 'built\n');
  const module = `github.com/nats-io/nats-server/v2@v${PINNED_VERSION}`;
  assert.equal(
    readFileSync(join(context.place, 'said'), 'utf8'),
    `list -m ${module} GOFLAGS=-v GOOS=\ninstall -trimpath -ldflags=-s -w ${module} GOFLAGS=-v GOOS=\n`,
  );
});

test('When Go cannot reach the module nothing is built, and its message is the reason.', async () => {
  const context = surroundings({ go: '[ "$1" = list ] && echo "no route" >&2 && exit 1' });
  await assert.rejects(sourceNamed('go').fetch(context), { stderr: 'no route\n' });
  assert.equal(existsSync(context.target), false);
});

const UNPACKS = 'mkdir -p "$3/usr/sbin"; echo packaged >"$3/usr/sbin/nats-server"';

test("The system's package is unpacked, and not installed.", async () => {
  const context = surroundings({ 'apt-get': 'touch nats-server_2.deb', dpkg: UNPACKS });
  await sourceNamed('apt').fetch(context);
  assert.equal(readFileSync(context.target, 'utf8'), 'packaged\n');
});

test('A missing package, or one without the server, is an error.', async () => {
  const without = surroundings({ 'apt-get': 'true', dpkg: UNPACKS });
  await assert.rejects(sourceNamed('apt').fetch(without), /no package was downloaded/);
  const empty = surroundings({ 'apt-get': 'touch nats-server_2.deb', dpkg: 'mkdir "$3"' });
  await assert.rejects(sourceNamed('apt').fetch(empty), /the package has no nats-server/);
});

/** A fake release server, with responses by file name. Returns the requested URLs. */
function releases(t: TestContext, answers: (file: string) => Response): string[] {
  const requested: string[] = [];
  t.mock.method(globalThis, 'fetch', async (url: string) => {
    requested.push(url);
    return answers(url.slice(url.lastIndexOf('/') + 1));
  });
  return requested;
}

const ARCHIVE = Buffer.from('an archive');
const fileOf = (architecture: string) => `nats-server-v${PINNED_VERSION}-${process.platform}-${architecture}`;
const name = fileOf(process.arch === 'x64' ? 'amd64' : process.arch);

test('A release with the published checksum is accepted.', async (t) => {
  const digest = createHash('sha256').update(ARCHIVE).digest('hex');
  const requested = releases(
    t,
    (file) => new Response(file === 'SHA256SUMS' ? `${digest}  ${name}.tar.gz\n` : ARCHIVE),
  );
  const context = surroundings({ tar: `mkdir ${name}; cp nats.tar.gz ${name}/nats-server` });
  await sourceNamed('release').fetch(context);
  assert.equal(readFileSync(context.target, 'utf8'), 'an archive');
  assert.deepEqual(
    requested.map((url) => url.slice(url.lastIndexOf('/') + 1)),
    ['SHA256SUMS', `${name}.tar.gz`],
  );
});

test('A release with another checksum is not unpacked.', async (t) => {
  releases(t, (file) => new Response(file === 'SHA256SUMS' ? `${sum}  ${name}.tar.gz\n` : ARCHIVE));
  const context = surroundings({ tar: 'touch ../unpacked' });
  await assert.rejects(sourceNamed('release').fetch(context), /does not have the checksum that the release names/);
  assert.equal(existsSync(join(context.place, 'unpacked')), false);
});

test('The error of a failed download names the host.', async (t) => {
  releases(t, () => new Response('', { status: 503 }));
  const context = surroundings({});
  await assert.rejects(sourceNamed('release').fetch(context), /github\.com answered 503/);
  t.mock.restoreAll();
  t.mock.method(globalThis, 'fetch', async () => {
    throw new TypeError('fetch failed', { cause: new Error('no such host') });
  });
  await assert.rejects(sourceNamed('release').fetch(context), /no such host/);
});
