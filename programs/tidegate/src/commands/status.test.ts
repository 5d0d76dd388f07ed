import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  type DataDir,
  dataDirAt,
  ownIdentity,
  type RunState,
  takeLock,
  temporaryDirectory,
  writeRunState,
} from '@tidegate/local';
import { run } from './status.ts';

function place(): DataDir {
  const dir = dataDirAt(join(temporaryDirectory(), 'data'));
  mkdirSync(dir.path);
  return dir;
}

/** Runs the command, and returns its output and exit code. */
async function status(t: TestContext, dir: DataDir): Promise<{ code: number; lines: string[] }> {
  let text = '';
  const write = t.mock.method(process.stdout, 'write', (part: string) => {
    text += part;
    return true;
  });
  const code = await run([`--data-dir=${dir.path}`]);
  write.mock.restore();
  return { code, lines: text.trimEnd().split('\n') };
}

/** The state file of a launcher that runs in this process and started the given number of seconds ago. */
function stateOf(more: Partial<RunState> = {}): RunState {
  return {
    launcher: ownIdentity(),
    version: '1.2.3',
    startedAt: ago(90),
    server: 'https://127.0.0.1:6443',
    kubeconfig: '',
    nats: 'NATS 2.15.2',
    board: 'http://127.0.0.1:6480',
    ready: true,
    parts: [],
    ...more,
  };
}

function ago(seconds: number): string {
  return new Date(Date.now() - seconds * 1000 - 500).toISOString();
}

test('A system that is not running has an exit code of its own.', async (t) => {
  const dir = place();
  assert.deepEqual(await status(t, dir), { code: 3, lines: [`nothing runs on ${dir.path}`] });
});

test('A launcher with the lock and without a state file is starting.', async (t) => {
  const dir = place();
  takeLock(dir.lockFile);
  assert.deepEqual(await status(t, dir), { code: 0, lines: [`tidegate (process ${process.pid}) is starting`] });
  writeRunState(dir.runFile, stateOf({ launcher: { pid: 1, began: 'before' } }));
  assert.match((await status(t, dir)).lines[0] ?? '', /is starting$/, 'the state is of a launcher that is gone');
});

test('Every part is shown with its age, its memory and its number of restarts.', async (t) => {
  const dir = place();
  takeLock(dir.lockFile);
  const part = (name: string, seconds: number) => ({ ...ownIdentity(), name, startedAt: ago(seconds), restarts: 2 });
  const gone = { name: 'watch', pid: 2 ** 22 + 1, began: '1', startedAt: ago(5), restarts: 7 };
  const parts = [part('postgres', 300), part('store', 4 * 3600), part('gateway', 72 * 3600), gone];
  writeRunState(dir.runFile, stateOf({ parts }));
  const { code, lines } = await status(t, dir);
  assert.equal(code, 0);
  assert.equal(lines[0], 'tidegate 1.2.3 at https://127.0.0.1:6443');
  const rows = lines.slice(2, 8).map((line) => line.split(/ {2,}/));
  assert.deepEqual(rows[0], ['PART', 'PID', 'UP', 'MEMORY', 'RESTARTS']);
  assert.deepEqual(
    rows.slice(1).map(([name, , up, , restarts]) => [name, up, restarts]),
    [
      ['launcher', '90 s', '0'],
      ['postgres', '5 min', '2'],
      ['store', '4 h', '2'],
      ['gateway', '3 d', '2'],
      ['watch', 'down', '7'],
    ],
  );
  for (const [, pid, , memory] of rows.slice(1, 5)) {
    assert.equal(pid, String(process.pid));
    assert.match(memory ?? '', /^[1-9]\d* MiB$/);
  }
  assert.deepEqual(lines.slice(-3), [`data    ${dir.path}`, 'bus     NATS 2.15.2', 'board   http://127.0.0.1:6480']);
});

test('A system that is not ready is shown without an address.', async (t) => {
  const dir = place();
  takeLock(dir.lockFile);
  writeRunState(dir.runFile, stateOf({ ready: false }));
  assert.equal((await status(t, dir)).lines[0], 'tidegate 1.2.3 is starting');
});
