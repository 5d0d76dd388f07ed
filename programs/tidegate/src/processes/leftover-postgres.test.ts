import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { beginningOf, commandLineOf, temporaryDirectory } from '@tidegate/local';
import { until } from '@tidegate/testkit';
import { stopLeftoverPostgres } from './leftover-postgres.ts';

/** A data directory whose lock file names a process that ignores SIGINT and has the given file open. */
async function leftBehind(
  t: TestContext,
  open?: string,
): Promise<{ dir: string; pid: number; ended: Promise<unknown> }> {
  const dir = join(temporaryDirectory(), 'postgres');
  mkdirSync(dir);
  const file = join(dir, 'postmaster.pid');
  writeFileSync(file, '');
  const server = spawn('sh', ['-c', 'ulimit -c 0; trap "" INT; exec tail -f "$0"', open ?? file], { stdio: 'ignore' });
  t.after(() => server.kill('SIGKILL'));
  const ended = once(server, 'exit');
  const pid = server.pid as number;
  await until('the process to ignore SIGINT', () => commandLineOf(pid).startsWith('tail'));
  writeFileSync(file, `${pid}\n${dir}\n`);
  return { dir, pid, ended };
}

/** Records the signals of this process, and delivers them if they are to arrive. */
function recordSignals(t: TestContext, { arrive }: { arrive: boolean }): string[] {
  const signals: string[] = [];
  const kill = process.kill.bind(process);
  t.mock.method(process, 'kill', (pid: number, signal: string) => {
    signals.push(signal);
    return arrive ? kill(pid, signal) : true;
  });
  return signals;
}

/** Replaces the clock by one that advances by ten seconds each time it is read, until the given condition holds. */
function hurryTime(t: TestContext, isOver = () => false): void {
  let now = 0;
  t.mock.method(Date, 'now', () => {
    if (!isOver()) now += 10_000;
    return now;
  });
}

test('A data directory without a lock file has no server to stop.', async (t) => {
  const signals = recordSignals(t, { arrive: false });
  await stopLeftoverPostgres(temporaryDirectory());
  assert.deepEqual(signals, []);
});

test('A process that is not the server of this data directory is not stopped.', async (t) => {
  const { dir, pid } = await leftBehind(t, '/dev/null');
  const signals = recordSignals(t, { arrive: true });
  await stopLeftoverPostgres(dir);
  assert.deepEqual(signals, []);
  assert.notEqual(beginningOf(pid), undefined);
});

test('A server that does not stop in order is stopped at once after its time.', async (t) => {
  const { dir, pid, ended } = await leftBehind(t);
  const signals = recordSignals(t, { arrive: true });
  hurryTime(t, () => signals.includes('SIGQUIT'));
  await stopLeftoverPostgres(dir);
  assert.deepEqual(signals, ['SIGINT', 'SIGQUIT']);
  assert.equal(beginningOf(pid), undefined);
  assert.deepEqual(await ended, [null, 'SIGQUIT']);
});

test('A server that cannot be stopped is an error that names its process.', async (t) => {
  const { dir, pid } = await leftBehind(t);
  const signals = recordSignals(t, { arrive: false });
  hurryTime(t);
  await assert.rejects(stopLeftoverPostgres(dir), {
    exitCode: 1,
    message: `an earlier PostgreSQL (process ${pid}) still works on ${dir} and does not stop: end it, then start again`,
  });
  assert.deepEqual(signals, ['SIGINT', 'SIGQUIT']);
});
