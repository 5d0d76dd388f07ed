import { AsyncLocalStorage } from 'node:async_hooks';

/** What tests share the time of, beside what each is about. */
export type Cause =
  | 'a system starts'
  | 'a system settles'
  | 'a system rests, to see that nothing spins'
  | 'a system ends'
  | 'PostgreSQL starts'
  | 'NATS starts'
  | 'kubectl'
  | 'the command line of tidegate'
  | 'waits for a condition';

export interface Spent {
  count: number;
  wallMs: number;
}

const spent = new Map<Cause, Spent>();
const within = new AsyncLocalStorage<Cause>();

/** Books the time of a piece of work under its cause. What is done within other booked work counts as that. */
export async function booked<T>(cause: Cause, work: () => T | Promise<T>): Promise<T> {
  if (within.getStore() !== undefined) return work();
  const begun = performance.now();
  try {
    return await within.run(cause, work);
  } finally {
    const entry = spent.get(cause) ?? { count: 0, wallMs: 0 };
    spent.set(cause, { count: entry.count + 1, wallMs: entry.wallMs + performance.now() - begun });
  }
}

/** What was booked in this process so far. */
export function account(): Record<string, Spent> {
  return Object.fromEntries(spent);
}
