import { AsyncResource } from 'node:async_hooks';
import { suite } from 'node:test';
import { beginFile } from './cost.ts';
import type { FromLane, ToLane } from './messages.ts';

/**
 * The program of a process that runs test files one after another, each in a suite of its own. So common modules are
 * loaded once, and the hooks of a file only apply to its tests. report-to-run.ts sends the results.
 */
const runAtRoot = AsyncResource.bind((file: string) => {
  beginFile();
  suite(file, async () => {
    await import(file);
  });
});

let isOver = false;

process.on('message', (message: ToLane) => {
  if (message.kind === 'run') return runAtRoot(message.file);
  isOver = true;
  process.disconnect?.();
});

/** The parent process has ended, so the remaining results are not needed. */
process.on('disconnect', () => {
  if (!isOver) process.exit(1);
});

const ready: FromLane = { kind: 'ready' };
process.send?.(ready);
