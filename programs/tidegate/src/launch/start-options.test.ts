import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '@tidegate/local';
import { readStartOptions, startOptions } from './start-options.ts';

test('The options have their documented names.', () => {
  const names = ['port', 'bind-address', 'data-dir', 'kubeconfig', 'token-auth-file', 'feature-gates', 'workers'];
  for (const name of [...names, 'postgres-url', 'nats-url', 'ephemeral']) assert.ok(name in startOptions, name);
});

test('By default the system uses port 6443 of the loopback address, and writes the kubeconfig into the data directory.', () => {
  const dir = temporaryDirectory();
  const options = readStartOptions([`--data-dir=${dir}`], {});
  assert.equal(options.port, 6443);
  assert.equal(options.bindAddress, '127.0.0.1');
  assert.equal(options.kubeconfig, join(dir, 'kubeconfig'));
});

test('By default an ephemeral start uses a free port and a new directory.', () => {
  const options = readStartOptions(['--ephemeral'], {});
  assert.equal(options.port, 0);
  assert.match(options.dataDir.path, /tidegate-ephemeral-/);
  assert.equal(readStartOptions(['--ephemeral', '--port', '7443'], {}).port, 7443);
});

test('An ephemeral start rejects a directory that is not empty, because it would be deleted.', () => {
  const dir = temporaryDirectory();
  writeFileSync(join(dir, 'thesis.txt'), '');
  assert.throws(() => readStartOptions(['--ephemeral', `--data-dir=${dir}`], {}), /not empty/);
});

test('Each option is also an environment variable, and the flag takes precedence.', () => {
  assert.equal(readStartOptions([], { TIDEGATE_PORT: '7000' }).port, 7000);
  assert.equal(readStartOptions(['--port=7001'], { TIDEGATE_PORT: '7000' }).port, 7001);
});

const refusals: ReadonlyArray<readonly [string[], RegExp]> = [
  [['--prot=1'], /unknown option --prot; did you mean --port\?/],
  [['--port=70000'], /--port must be a whole number from 0 to 65535/],
  [['--workers=0'], /--workers must be a whole number from 1 to 64/],
  [['--bind-address=here'], /--bind-address must be an IP address, not "here"/],
  [['--log-level=loud'], /--log-level must be/],
  [['--no-nats', '--nats-url=nats://x'], /exclude each other/],
  [['--client-ca-file=/absent'], /cannot read \/absent: check --client-ca-file/],
  [['--token-auth-file=/absent'], /cannot read \/absent: check --token-auth-file/],
];
for (const [argv, words] of refusals) {
  test(`${argv.join(' ')} is rejected before anything is changed.`, () => {
    assert.throws(() => readStartOptions(argv, {}), words);
  });
}
