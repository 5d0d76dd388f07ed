import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process of the system under test. */
export interface Part {
  readonly name: string;
  readonly pid: number;
}

interface IdleOptions {
  /** the CPU time of a process so far; undefined if it has ended */
  readonly cpuMs?: (pid: number) => number | undefined;
  readonly wait?: (ms: number) => Promise<unknown>;
}

/** The share of one core that an idle part may use. */
const MAX_SHARE = 0.05;
const SPAN_MS = 1000;
/** Work that a test has caused ends after a while, whereas a busy loop does not. */
const SPANS = 12;

/**
 * Finds parts that are busy without requests: those that used more than 5 % of a core in each of twelve seconds. One
 * quiet second is enough to pass. Parts that have ended or were restarted are ignored.
 */
export async function busyParts(
  parts: () => readonly Part[],
  { cpuMs = cpuTimeMs, wait = sleep }: IdleOptions = {},
): Promise<string[]> {
  let suspects = new Map(parts().map(({ name, pid }) => [name, { pid, share: 0 }]));
  for (let span = 0; span < SPANS && suspects.size > 0; span++) {
    const before = new Map([...suspects].map(([name, { pid }]) => [name, cpuMs(pid)]));
    await wait(SPAN_MS);
    const now = new Map(parts().map(({ name, pid }) => [name, pid]));
    const shares = [...suspects].map(([name, { pid }]) => {
      const [from, to] = [before.get(name), now.get(name) === pid ? cpuMs(pid) : undefined];
      return [name, { pid, share: from === undefined || to === undefined ? 0 : (to - from) / SPAN_MS }] as const;
    });
    suspects = new Map(shares.filter(([, { share }]) => share > MAX_SHARE));
  }
  return [...suspects].map(([name, { share }]) => `${name} uses ${Math.round(share * 100)} % of a core`);
}

const TICK_MS = 10;

/** The user and system time of all threads, from Linux. */
export function cpuTimeMs(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
}
