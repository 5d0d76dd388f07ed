import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { beginningOf, type DataDir, dataDirAt, temporaryDirectory } from '@tidegate/local';
import { run } from './stop.ts';

/** The data directory of a launcher, which is a process that ends when it gets any signal. */
async function launched(t: TestContext): Promise<{ dir: DataDir; launcher: ChildProcess; pid: number }> {
  const dir = dataDirAt(join(temporaryDirectory(), 'data'));
  mkdirSync(dir.path);
  const launcher = spawn('sleep', ['600'], { stdio: 'ignore' });
  t.after(() => launcher.kill('SIGKILL'));
  await once(launcher, 'spawn');
  const pid = launcher.pid as number;
  writeFileSync(dir.lockFile, JSON.stringify({ pid, began: beginningOf(pid) }));
  return { dir, launcher, pid };
}

/** Runs the command, and returns its output and exit code. */
async function stop(t: TestContext, dir: DataDir): Promise<{ code: number; output: string }> {
  let output = '';
  const write = t.mock.method(process.stdout, 'write', (part: string) => {
    output += part;
    return true;
  });
  const code = await run([`--data-dir=${dir.path}`]).finally(() => write.mock.restore());
  return { code, output };
}

/** Replaces the signals of this process by one answer of the system. */
function answerSignals(t: TestContext, answer: () => true): void {
  t.mock.method(process, 'kill', answer);
}

function failure(code: string): Error {
  return Object.assign(new Error(`kill ${code}`), { code });
}

test('Stopping a running system asks its launcher to stop in order, and waits for its end.', async (t) => {
  const { dir, launcher, pid } = await launched(t);
  const ended = once(launcher, 'exit');
  assert.deepEqual(await stop(t, dir), { code: 0, output: 'stopped\n' });
  assert.equal(beginningOf(pid), undefined);
  assert.deepEqual(await ended, [null, 'SIGTERM']);
});

test('A system of another user is not stopped, and the error names its process.', async (t) => {
  const { dir, pid } = await launched(t);
  answerSignals(t, () => {
    throw failure('EPERM');
  });
  const message = `tidegate runs as another user (process ${pid}): stop it as that user`;
  await assert.rejects(stop(t, dir), { exitCode: 1, message });
});

test('A system that ends by itself in the moment before the signal counts as stopped.', async (t) => {
  const { dir, launcher } = await launched(t);
  answerSignals(t, () => {
    launcher.kill('SIGKILL');
    throw failure('ESRCH');
  });
  assert.deepEqual(await stop(t, dir), { code: 0, output: 'stopped\n' });
});

test('A system that does not stop in time is an error that names its process and its logs.', async (t) => {
  const { dir, pid } = await launched(t);
  answerSignals(t, () => true);
  let now = 0;
  t.mock.method(Date, 'now', () => {
    now += 45_000;
    return now;
  });
  const message = `tidegate (process ${pid}) did not stop within 90 s: see ${dir.logs}`;
  await assert.rejects(stop(t, dir), { exitCode: 1, message });
});
