import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryDir, until } from '@tidegate/testkit';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

interface Verification {
  readonly child: ChildProcess;
  /** the exit code, and what was printed */
  readonly ended: Promise<readonly [code: number | null, text: string]>;
  /** the files and directories of the copy */
  copies(): string[];
}

/** Verifies a backup from standard input. Its copy of standard input is in a directory of its own. */
function verifyInput(t: TestContext, limit = 'unlimited'): Verification {
  const dir = temporaryDir('restore');
  const command = [process.execPath, main, 'restore', '--file=-', '--verify-only'];
  const child = spawn('sh', ['-c', `ulimit -f ${limit}; exec "$0" "$@"`, ...command], {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { ...process.env, TMPDIR: dir.path },
  });
  // EPIPE: the program has ended before it has read everything
  child.stdin?.on('error', () => {});
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  const ended = once(child, 'close').then(([code]) => [code as number | null, text] as const);
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
    dir.remove();
  });
  const copies = () => readdirSync(dir.path, { recursive: true }).map((name) => join(dir.path, String(name)));
  return { child, ended, copies };
}

test('Only the owner can read the copy of standard input.', async (t) => {
  const { copies } = verifyInput(t);
  const [dir = '', file = ''] = await until('the copy to exist', () => (copies().length === 2 ? copies() : undefined));
  assert.deepEqual([statSync(dir).mode & 0o777, statSync(file).mode & 0o777], [0o700, 0o600]);
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  test(`A restore that is ended by ${signal} while it reads standard input removes its copy.`, async (t) => {
    const { child, ended, copies } = verifyInput(t);
    await until('the copy to exist', () => copies().length === 2);
    child.kill(signal);
    assert.deepEqual(await ended, [130, '']);
    assert.deepEqual(copies(), []);
  });
}

test('Standard input that is no backup is rejected, and its copy is removed.', async (t) => {
  const { child, ended, copies } = verifyInput(t);
  child.stdin?.end('kind: List\n');
  const [code, text] = await ended;
  assert.equal(code, 1);
  assert.match(text, /^tidegate: .+ is rejected: it is not a backup of tidegate\n$/);
  assert.deepEqual(copies(), []);
});

test('Standard input that does not fit on the disk is an error, and what was copied is removed.', async (t) => {
  const { child, ended, copies } = verifyInput(t, '4096');
  child.stdin?.end(Buffer.alloc(3 << 20));
  assert.deepEqual(await ended, [1, 'tidegate: EFBIG: file too large, write\n']);
  assert.deepEqual(copies(), []);
});
