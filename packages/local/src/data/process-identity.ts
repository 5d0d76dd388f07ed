import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process id with the start time of the process: the system reuses ids, but not this pair. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly began: string;
}

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, began: beginningOf(process.pid) ?? '' };
}

export function isRunning(identity: ProcessIdentity): boolean {
  return beginningOf(identity.pid) === identity.began;
}

/** The start time of a process; undefined where no such process runs. A zombie does not run. */
export function beginningOf(pid: number): string | undefined {
  if (process.platform !== 'linux') {
    const text = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim();
    return text === '' ? undefined : text;
  }
  try {
    // the command's name is in parentheses and may contain any character, so fields are counted after the last one
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    // an error of the file system: there is no such process
    return undefined;
  }
}

/** The command line of a process; '' where it cannot be read. */
export function commandLineOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim() ?? '';
  } catch {
    // an error of the file system: there is no such process
    return '';
  }
}
