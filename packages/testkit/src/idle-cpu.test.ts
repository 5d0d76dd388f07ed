import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { busyParts, cpuTimeMs } from './idle-cpu.ts';
import { until } from './until.ts';

interface Load {
  /** the CPU time of each part in each span */
  readonly [part: string]: readonly number[];
}

async function busyUnder(load: Load, parts = Object.keys(load).map((name, pid) => ({ name, pid }))): Promise<string[]> {
  let span = 0;
  const used = (pid: number) => (load[parts[pid]?.name ?? ''] ?? []).slice(0, span).reduce((sum, ms) => sum + ms, 0);
  return busyParts(() => parts, { cpuMs: used, wait: async () => void span++ });
}

test('Only a part that is busy in every span is reported.', async () => {
  const load = { gateway: Array(12).fill(40), watch: Array(12).fill(450) };
  assert.deepEqual(await busyUnder(load), ['watch uses 45 % of a core']);
});

test('A part that finishes the work of a test is not reported.', async () => {
  assert.deepEqual(await busyUnder({ store: [800, 400, 40] }), []);
});

test('A process in a busy loop is found, and one that has ended is ignored.', async (t) => {
  if (process.platform !== 'linux') return t.skip('CPU times of other processes are read from /proc');
  const spinning = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
  const gone = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' });
  await once(gone, 'exit');
  try {
    const parts = [
      { name: 'spinning', pid: spinning.pid as number },
      { name: 'gone', pid: gone.pid as number },
    ];
    // independent of the speed of the machine: a span ends when the process has used enough CPU time
    const wait = async () => {
      const before = cpuTimeMs(spinning.pid as number) ?? 0;
      await until('it to have spun', () => (cpuTimeMs(spinning.pid as number) ?? 0) - before > 150);
    };
    const [busy = '', ...others] = await busyParts(() => parts, { wait });
    assert.match(busy, /^spinning uses \d+ % of a core$/);
    assert.deepEqual(others, []);
  } finally {
    spinning.kill('SIGKILL');
  }
});
