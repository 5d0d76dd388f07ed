import { readFileSync } from 'node:fs';
import { account, type Spent } from '@tidegate/testkit';
import type { Cost, CpuTime } from './messages.ts';

const TICK_MS = 10;

let before = soFar();

/** A file begins: what is spent from here on is its own. */
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

/** what this process has taken so far */
function soFar(): Cost {
  return { wallMs: performance.now(), cpu: cpuTime(), spent: account() };
}

function difference(now: Spent, before: Spent = { count: 0, wallMs: 0 }): Spent {
  return { count: now.count - before.count, wallMs: now.wallMs - before.wallMs };
}

/** As Linux counts it; children count when they have ended, and on other systems not at all. */
function cpuTime(): CpuTime {
  const { user, system } = process.cpuUsage();
  const ownMs = (user + system) / 1000;
  if (process.platform !== 'linux') return { ownMs, childrenMs: 0 };
  const text = readFileSync('/proc/self/stat', 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { ownMs, childrenMs: (Number(fields[13]) + Number(fields[14])) * TICK_MS };
}
