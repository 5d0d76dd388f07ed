import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '@tidegate/local';
import { readStartOptions, startOptions } from './start-options.ts';

test('The options have the names that users know.', () => {
  const names = ['port', 'bind-address', 'data-dir', 'kubeconfig', 'token-auth-file', 'feature-gates', 'workers'];
  for (const name of [...names, 'postgres-url', 'nats-url', 'ephemeral']) assert.ok(name in startOptions, name);
});

test('Without options it is port 6443 of the loopback address, with the kubeconfig beside the data.', () => {
  const dir = temporaryDirectory();
  const options = readStartOptions([`--data-dir=${dir}`], {});
  assert.equal(options.port, 6443);
  assert.equal(options.bindAddress, '127.0.0.1');
  assert.equal(options.kubeconfig, join(dir, 'kubeconfig'));
});

test('An ephemeral start takes a free port and a directory of its own unless told otherwise.', () => {
  const options = readStartOptions(['--ephemeral'], {});
  assert.equal(options.port, 0);
  assert.match(options.dataDir.path, /tidegate-ephemeral-/);
  assert.equal(readStartOptions(['--ephemeral', '--port', '7443'], {}).port, 7443);
});

test('An ephemeral start refuses a directory that is not empty, because it would be removed.', () => {
  const dir = temporaryDirectory();
  writeFileSync(join(dir, 'thesis.txt'), '');
  assert.throws(() => readStartOptions(['--ephemeral', `--data-dir=${dir}`], {}), /not empty/);
});

test('Each option is a variable of the environment, and the flag wins.', () => {
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
  test(`${argv.join(' ')} is refused before anything is touched.`, () => {
    assert.throws(() => readStartOptions(argv, {}), words);
  });
}
