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
  const apart = cpuSecondsApart(processes);
  return new Map([...apart].map(([name, { own, helpers }]) => [name, own + helpers]));
}

/**
 * The same without and with only the helper threads of V8, which mark garbage and compile functions. Their work is for
 * many requests: it falls into some short measurements, and not into others.
 */
export function cpuSecondsApart(processes: readonly ServerProcess[]): Map<string, { own: number; helpers: number }> {
  const children = processes.some((one) => one.descendants) ? childrenByParent() : new Map<number, number[]>();
  const result = new Map<string, { own: number; helpers: number }>();
  for (const { name, pid, descendants } of processes) {
    const spent = descendants ? { own: secondsOfTree(pid, children), helpers: 0 } : secondsOf(pid);
    const { own, helpers } = result.get(name) ?? { own: 0, helpers: 0 };
    result.set(name, { own: own + spent.own, helpers: helpers + spent.helpers });
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
  const { own, helpers } = secondsOf(pid);
  // the CPU time of exited children is in their parent's fields for waited-for children
  const all = own + helpers + ticksOf(pid).waited / TICKS_PER_SECOND;
  return (children.get(pid) ?? []).reduce((sum, child) => sum + secondsOfTree(child, children), all);
}

/**
 * The CPU time of all threads in nanoseconds, because a tick of the usual counters is as long as the CPU time of a
 * hundred requests. Without schedstat in the kernel, those have to do.
 */
function secondsOf(pid: number): { own: number; helpers: number } {
  const spent = { own: 0, helpers: 0 };
  for (const thread of threadsOf(pid)) {
    const [nanoseconds = '0'] = readProc(pid, `task/${thread}/schedstat`).split(' ');
    spent[isHelper(pid, thread) ? 'helpers' : 'own'] += Number(nanoseconds) / NANOSECONDS_PER_SECOND;
  }
  if (spent.own === 0) spent.own = ticksOf(pid).own / TICKS_PER_SECOND;
  return spent;
}

/** The names of threads do not change, and reading them takes as long as reading the times. */
const helpers = new Map<string, boolean>();

function isHelper(pid: number, thread: string): boolean {
  const key = `${pid}/${thread}`;
  let is = helpers.get(key);
  if (is === undefined) {
    is = readProc(pid, `task/${thread}/comm`).includes('V8');
    helpers.set(key, is);
  }
  return is;
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
