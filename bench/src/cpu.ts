import { readdirSync, readFileSync } from 'node:fs';

/** A server process whose CPU time is measured, with its descendants if the server has several processes. */
export interface ServerProcess {
  name: string;
  pid: number;
  descendants: boolean;
}

const TICKS_PER_SECOND = 100;

/** CPU seconds of each process so far. */
export function cpuSeconds(processes: readonly ServerProcess[]): Map<string, number> {
  const children = processes.some((one) => one.descendants) ? childrenByParent() : new Map<number, number[]>();
  const result = new Map<string, number>();
  for (const { name, pid, descendants } of processes) {
    const ticks = descendants ? treeTicks(pid, children) : ticksOf(pid);
    result.set(name, (result.get(name) ?? 0) + ticks / TICKS_PER_SECOND);
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

function treeTicks(pid: number, children: ReadonlyMap<number, number[]>): number {
  // the CPU time of exited children is in their parent's fields for waited-for children
  const own = ticksOf(pid, true);
  return (children.get(pid) ?? []).reduce((sum, child) => sum + treeTicks(child, children), own);
}

function ticksOf(pid: number, waited = false): number {
  const text = readProc(pid, 'stat');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [user = '0', system = '0', childUser = '0', childSystem = '0'] = fields.slice(11, 15);
  return Number(user) + Number(system) + (waited ? Number(childUser) + Number(childSystem) : 0);
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
