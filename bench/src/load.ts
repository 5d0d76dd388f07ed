import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Job, Outcome } from './generator/work.ts';

const GENERATOR = fileURLToPath(new URL('generator/process.ts', import.meta.url));

interface Message {
  ready?: true;
  outcome?: Outcome;
  error?: string;
}

/** Runs one job in a generator process; `begun` is awaited after it has connected, before the first operation. */
export function load(job: Job, begun: () => void | Promise<void> = () => {}): Promise<Outcome> {
  const child = fork(GENERATOR, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  return new Promise((resolve, reject) => {
    child.on('message', ({ ready, outcome, error }: Message) => {
      if (ready) {
        Promise.resolve(begun()).then(() => child.send('begin'), reject);
        return;
      }
      child.disconnect();
      if (outcome === undefined) reject(new Error(`the load generator failed: ${error}`));
      else resolve(outcome);
    });
    child.on('error', reject);
    child.send(job);
  });
}
