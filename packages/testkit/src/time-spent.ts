import { AsyncLocalStorage } from 'node:async_hooks';

/** Activities that many tests have in common and whose time is measured. */
export type Cause =
  | 'a system starts'
  | 'a system gets ready'
  | 'idle checks of a system'
  | 'a system ends'
  | 'PostgreSQL starts'
  | 'NATS starts'
  | 'kubectl'
  | 'the command line of tidegate'
  | 'waits for a condition';

export interface TimeSpent {
  count: number;
  wallMs: number;
}

const spent = new Map<Cause, TimeSpent>();
const within = new AsyncLocalStorage<Cause>();

/** Measures the time of an operation for its cause. Nested measurements count for the outer cause. */
export async function timed<T>(cause: Cause, work: () => T | Promise<T>): Promise<T> {
  if (within.getStore() !== undefined) return work();
  const begun = performance.now();
  try {
    return await within.run(cause, work);
  } finally {
    const entry = spent.get(cause) ?? { count: 0, wallMs: 0 };
    spent.set(cause, { count: entry.count + 1, wallMs: entry.wallMs + performance.now() - begun });
  }
}

/** The time that this process has spent so far, by cause. */
export function timeSpent(): Record<string, TimeSpent> {
  return Object.fromEntries(spent);
}
