import { AsyncResource } from 'node:async_hooks';
import { suite } from 'node:test';
import { beginFile } from './cost.ts';
import type { FromLane, ToLane } from './messages.ts';

/**
 * One process that runs files of tests, one after another, each in a suite of its own: so what tests have in common is
 * loaded once, and the hooks of a file are done around its tests and no others. What becomes of them is told by
 * report-to-run.ts.
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

/** The run is gone: nobody waits for the rest. */
process.on('disconnect', () => {
  if (!isOver) process.exit(1);
});

const ready: FromLane = { kind: 'ready' };
process.send?.(ready);
