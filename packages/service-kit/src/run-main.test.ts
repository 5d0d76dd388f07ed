import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('testing/failing-part.ts', import.meta.url));
const FILES = ['--peer-cert-file=/none/tls.crt', '--peer-key-file=/none/tls.key', '--peer-ca-file=/none/ca.crt'];

/** Runs the part; its log is on standard output. */
function part(...argv: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...argv], {
    encoding: 'utf8',
    timeout: 30_000,
  });
  return { status, stdout, stderr };
}

/** The lines of a log, each with its level, message and error. */
function logged(stdout: string) {
  const lines = stdout.trimEnd().split('\n');
  return lines.map((line) => {
    const { level, part, msg, err } = JSON.parse(line);
    return { level, part, msg, error: err?.message };
  });
}

test('The help of a part shows its options, also where required ones are missing.', () => {
  const { status, stdout, stderr } = part('--help');
  assert.deepEqual([status, stderr], [0, '']);
  assert.match(stdout, /^tidegate sample\n\n/);
  assert.match(stdout, /--peer-cert-file FILE .*the certificate by which/);
});

test('A mistyped option of a part is a one-line error with the exit code of a wrong use.', () => {
  assert.deepEqual(part('--log-levle=debug'), {
    status: 2,
    stdout: '',
    stderr: 'tidegate sample: unknown option --log-levle; did you mean --log-level?\n',
  });
});

test('A part that cannot start logs a fatal error, and prints the reason in one line for its supervisor.', () => {
  const { status, stdout, stderr } = part(...FILES);
  const reason = "ENOENT: no such file or directory, open '/none/tls.crt'";
  assert.deepEqual([status, stderr], [1, `${reason}\n`]);
  assert.deepEqual(logged(stdout), [{ level: 'fatal', part: 'sample', msg: 'A fatal error occurred.', error: reason }]);
});

test('An error that nobody catches ends a part with a fatal error.', () => {
  // with a receiver of traces the part is still starting when the error is thrown
  const { status, stdout, stderr } = part(...FILES, '--throws', '--otlp-endpoint=http://127.0.0.1:1');
  assert.deepEqual([status, stderr], [1, 'nobody catches this\n']);
  assert.deepEqual(
    logged(stdout).map(({ level, error }) => [level, error]),
    [['fatal', 'nobody catches this']],
  );
});
