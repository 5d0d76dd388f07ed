import { readdirSync, readFileSync } from 'node:fs';
import { isErrno } from '@tidegate/local';

/** A server process whose CPU time is measured, with its descendants if the server has several processes. */
export interface ServerProcess {
  name: string;
  pid: number;
  descendants: boolean;
}

const NANOSECONDS_PER_SECOND = 1e9;
/** the unit of /proc/PID/stat */
const TICKS_PER_SECOND = 100;

/** CPU seconds of each process so far. */
export function cpuSeconds(processes: readonly ServerProcess[]): Map<string, number> {
  const children = processes.some((one) => one.descendants) ? childrenByParent() : new Map<number, number[]>();
  const result = new Map<string, number>();
  for (const { name, pid, descendants } of processes) {
    const seconds = descendants ? secondsOfTree(pid, children) : secondsOf(pid);
    result.set(name, (result.get(name) ?? 0) + seconds);
  }
  return result;
}

export function residentMib(processes: readonly ServerProcess[]): number {
  const total = processes.reduce((sum, { pid }) => {
    const status = readProc(pid, 'status');
    return sum + Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? '0');
  }, 0);
  return Math.round(total / 1024);
}

function secondsOfTree(pid: number, children: ReadonlyMap<number, number[]>): number {
  // the CPU time of exited children is in their parent's fields for waited-for children
  const own = secondsOf(pid) + ticksOf(pid).waited / TICKS_PER_SECOND;
  return (children.get(pid) ?? []).reduce((sum, child) => sum + secondsOfTree(child, children), own);
}

/**
 * The CPU time of all threads in nanoseconds, because a tick of the usual counters is as long as the CPU time of a
 * hundred requests. Without schedstat in the kernel, those have to do.
 */
function secondsOf(pid: number): number {
  const nanoseconds = threadsOf(pid).map((thread) => readProc(pid, `task/${thread}/schedstat`).split(' ')[0]);
  const sum = nanoseconds.reduce((total, text) => total + Number(text ?? 0), 0);
  return sum > 0 ? sum / NANOSECONDS_PER_SECOND : ticksOf(pid).own / TICKS_PER_SECOND;
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch (error) {
    // the process has ended
    if (isErrno(error, 'ENOENT', 'ESRCH')) return [];
    throw error;
  }
}

function ticksOf(pid: number): { own: number; waited: number } {
  const text = readProc(pid, 'stat');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [user = '0', system = '0', childUser = '0', childSystem = '0'] = fields.slice(11, 15);
  return { own: Number(user) + Number(system), waited: Number(childUser) + Number(childSystem) };
}

function childrenByParent(): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const text = readProc(Number(entry), 'stat');
    const parent = Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1] ?? '0');
    children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
  }
  return children;
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
