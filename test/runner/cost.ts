import { readFileSync } from 'node:fs';
import { type TimeSpent, timeSpent } from '@tidegate/testkit';
import type { Cost, CpuTime } from './messages.ts';

const TICK_MS = 10;

let before = soFar();

/** Starts the measurement of a file. */
export function beginFile(): void {
  before = soFar();
}

export function costOfFile(): Cost {
  const now = soFar();
  return {
    wallMs: now.wallMs - before.wallMs,
    cpu: { ownMs: now.cpu.ownMs - before.cpu.ownMs, childrenMs: now.cpu.childrenMs - before.cpu.childrenMs },
    spent: Object.fromEntries(
      Object.entries(now.spent).map(([cause, spent]) => [cause, difference(spent, before.spent[cause])]),
    ),
  };
}

/** the cost of this process so far */
function soFar(): Cost {
  return { wallMs: performance.now(), cpu: cpuTime(), spent: timeSpent() };
}

function difference(now: TimeSpent, before: TimeSpent = { count: 0, wallMs: 0 }): TimeSpent {
  return { count: now.count - before.count, wallMs: now.wallMs - before.wallMs };
}

/** CPU time; child processes only count after they have ended, and only on Linux. */
function cpuTime(): CpuTime {
  const { user, system } = process.cpuUsage();
  const ownMs = (user + system) / 1000;
  if (process.platform !== 'linux') return { ownMs, childrenMs: 0 };
  const text = readFileSync('/proc/self/stat', 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { ownMs, childrenMs: (Number(fields[13]) + Number(fields[14])) * TICK_MS };
}
