import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** The resident memory of a process. */
export function memoryBytes(pid: number): number {
  if (process.platform !== 'linux') {
    const text = spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '';
    return Number(text.trim()) * 1024;
  }
  return field(`/proc/${pid}/status`, 'VmRSS');
}

/** The memory of a process and its children; shared memory is counted once where the kernel reports it. */
export function familyBytes(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce((sum, member) => sum + shareOf(member), 0);
}

function shareOf(pid: number): number {
  return field(`/proc/${pid}/smaps_rollup`, 'Pss') || memoryBytes(pid);
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
    );
  } catch {
    // an error of the file system: the process has ended, or there is no /proc
    return [];
  }
}

function field(file: string, name: string): number {
  try {
    const match = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(file, 'utf8'));
    return Number(match?.[1] ?? 0) * 1024;
  } catch {
    // an error of the file system: the process has ended, or there is no /proc
    return 0;
  }
}
