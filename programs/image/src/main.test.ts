import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('main.ts', import.meta.url));

function image(...argv: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...argv], {
    encoding: 'utf8',
    timeout: 30_000,
  });
  return { status, stdout, stderr };
}

function usageError(words: string) {
  return { status: 2, stdout: '', stderr: `tidegate: ${words}\n` };
}

test('Without a command the error says what to do, with the exit code of a wrong use.', () => {
  assert.deepEqual(image(), usageError('say which part to start; see --help'));
});

test('A mistyped command is a one-line error that suggests the closest command.', () => {
  assert.deepEqual(image('certificate'), usageError('unknown command certificate; did you mean certificates?'));
});

test('A command that resembles no other is a one-line error that refers to the help.', () => {
  assert.deepEqual(image('kubeconfig'), usageError('unknown command kubeconfig; see --help'));
});

test('A mistyped option of a command has the exit code of a wrong use.', () => {
  assert.deepEqual(image('smoke', '--sever=x'), usageError('unknown option --sever; did you mean --server?'));
});

test('A command that fails is a one-line error with another exit code than a wrong use.', () => {
  const { status, stderr } = image('smoke', '--server=https://127.0.0.1:1', '--ca-file=/none', '--token-file=/none');
  assert.equal(status, 1);
  assert.match(stderr, /^tidegate: ENOENT: .* '\/none'\n$/);
});
