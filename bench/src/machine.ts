import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';

export interface Machine {
  readonly cpus: number;
  readonly model: string;
  readonly memoryGib: number;
  readonly node: string;
}

export function machine(): Machine {
  const all = cpus();
  return {
    cpus: all.length,
    model: all[0]?.model ?? '',
    memoryGib: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  };
}

/** The short hash of the checked out commit; empty outside of a clone. */
export function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return '';
  }
}
