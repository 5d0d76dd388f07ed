import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process of the system under test. */
export interface Part {
  readonly name: string;
  readonly pid: number;
}

interface IdleOptions {
  /** CPU time of a process so far, undefined when it is gone */
  readonly cpuMs?: (pid: number) => number | undefined;
  readonly wait?: (ms: number) => Promise<unknown>;
}

/** How much of one core a part may use while nobody asks it anything. */
const MOST_SHARE = 0.05;
const SPAN_MS = 1000;
/** What a test has left to do may go on for a while; what spins goes on for ever. */
const SPANS = 12;

/**
 * Says which parts are busy although nobody asks them anything: over each of twelve seconds they used more
 * than 5 % of a core. The first quiet span of a part clears it, and parts that are gone or were started again are left out.
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
    suspects = new Map(shares.filter(([, { share }]) => share > MOST_SHARE));
  }
  return [...suspects].map(([name, { share }]) => `${name} uses ${Math.round(share * 100)} % of a core`);
}

const TICK_MS = 10;

/** User and system time of all threads, as Linux counts them. */
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
