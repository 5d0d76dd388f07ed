import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** A client that cancels its requests at once, and connects again whenever the server closes a connection. */
export interface ResetFlood {
  readonly server: string;
  readonly caFile: string;
  readonly token: string;
  readonly path: string;
  /** the number of connections at a time */
  readonly connections: number;
  readonly durationMs: number;
}

/** Runs the attack. Returns the numbers of requests and connections that it made. */
export async function floodWithResets(flood: ResetFlood): Promise<{ requests: number; connections: number }> {
  const thread = new Worker(new URL('./reset-flood-thread.ts', import.meta.url), { workerData: flood });
  try {
    return (await once(thread, 'message'))[0];
  } finally {
    await thread.terminate();
  }
}
