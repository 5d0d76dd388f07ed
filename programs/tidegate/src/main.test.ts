import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ownIdentity, temporaryDirectory } from '@tidegate/local';

const main = fileURLToPath(new URL('main.ts', import.meta.url));

function tidegate(...argv: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...argv], {
    encoding: 'utf8',
    timeout: 30_000,
  });
  return { status, stdout, stderr };
}

function place(): string {
  return join(temporaryDirectory(), 'data');
}

test('Help lists every command.', () => {
  const { status, stdout } = tidegate('--help');
  assert.equal(status, 0);
  for (const name of ['start', 'status', 'stop', 'kubeconfig', 'backup', 'restore', 'import', 'version'])
    assert.match(stdout, new RegExp(`^  ${name} `, 'm'));
});

for (const name of ['start', 'status', 'stop', 'kubeconfig', 'backup', 'restore', 'import', 'version']) {
  test(`${name} prints its help.`, () => {
    const { status, stdout } = tidegate(name, '--help');
    assert.equal(status, 0);
    assert.ok(stdout.startsWith(`tidegate ${name}`));
  });
}

test('A mistyped command is a one-line error that suggests the closest command.', () => {
  const answer = tidegate('strat');
  assert.deepEqual(answer, { status: 2, stdout: '', stderr: 'tidegate: unknown command strat; did you mean start?\n' });
});

test('A mistyped option is a one-line error that suggests the closest option.', () => {
  const { status, stderr } = tidegate('start', '--dat-dir=x');
  assert.equal(status, 2);
  assert.equal(stderr, 'tidegate: unknown option --dat-dir; did you mean --data-dir?\n');
});

test('The status of a stopped system is exit code 3.', () => {
  const dir = place();
  const { status, stdout } = tidegate('status', `--data-dir=${dir}`);
  assert.equal(status, 3);
  assert.equal(stdout, `nothing runs on ${dir}\n`);
});

test('Stopping a stopped system is not an error.', () => {
  assert.equal(tidegate('stop', `--data-dir=${place()}`).status, 0);
});

test('The kubeconfig of a system that was never started is a one-line error that says what to do.', () => {
  const { status, stderr } = tidegate('kubeconfig', `--data-dir=${place()}`);
  assert.equal(status, 1);
  assert.match(stderr, /^tidegate: .*kubeconfig does not exist yet: run `tidegate start` once\n$/);
});

test('A port in use is a one-line error, and nothing is started.', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const { status, stderr } = tidegate('start', `--data-dir=${place()}`, `--port=${port}`);
  assert.equal(status, 1);
  assert.match(stderr, new RegExp(`^tidegate: port ${port} is taken.*--port.*\\n$`));
  server.close();
});

test('A data directory in use is a one-line error that names the process.', () => {
  const dir = place();
  mkdirSync(dir);
  writeFileSync(join(dir, 'version.json'), '{"format":1}');
  writeFileSync(join(dir, 'lock'), JSON.stringify(ownIdentity()));
  const { status, stderr } = tidegate('start', `--data-dir=${dir}`, '--port=0');
  assert.equal(status, 1);
  assert.match(stderr, new RegExp(`^tidegate: the data directory .* is in use .*process ${process.pid}.*\\n$`));
});

test('A PostgreSQL that does not respond causes a one-line error without its password.', () => {
  const { status, stderr } = tidegate(
    'start',
    `--data-dir=${place()}`,
    '--port=0',
    '--no-nats',
    '--postgres-url=postgres://me:secret@127.0.0.1:1/x',
  );
  assert.equal(status, 1);
  assert.match(stderr, /^tidegate: nothing answers at 127\.0\.0\.1:1 \(ECONNREFUSED\): check --postgres-url.*\n$/);
});

test('A NATS that does not respond causes a one-line error without its password.', () => {
  const url = '--nats-url=nats://me:secret@127.0.0.1:1';
  const { status, stderr } = tidegate('start', `--data-dir=${place()}`, '--port=0', url);
  assert.equal(status, 1);
  assert.match(stderr, /^tidegate: nothing answers at 127\.0\.0\.1:1 \(ECONNREFUSED\): check --nats-url.*\n$/);
});
