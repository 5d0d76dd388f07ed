import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Job, Outcome } from './generator/work.ts';

const GENERATOR = fileURLToPath(new URL('generator/process.ts', import.meta.url));

/** Runs one job in a generator process. */
export function load(job: Job): Promise<Outcome> {
  const child = fork(GENERATOR, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  return new Promise((resolve, reject) => {
    child.on('message', ({ outcome, error }: { outcome?: Outcome; error?: string }) => {
      child.disconnect();
      if (outcome === undefined) reject(new Error(`the load generator failed: ${error}`));
      else resolve(outcome);
    });
    child.on('error', reject);
    child.send(job);
  });
}
