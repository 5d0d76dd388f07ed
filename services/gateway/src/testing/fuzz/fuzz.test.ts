import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { targets } from './targets.ts';
import type { FuzzAnswer, FuzzTask } from './worker.ts';

const SEED = 7;
const ROUNDS = 600;
/** The heap limit for live memory: garbage is collected before a thread reaches it. */
const MAX_MEMORY_MIB = 512;

test(`${ROUNDS} inputs for each decoder are accepted or rejected, without other errors (seed ${SEED})`, async () => {
  const workerData: FuzzTask = { seed: SEED, rounds: ROUNDS };
  const resourceLimits = { maxOldGenerationSizeMb: MAX_MEMORY_MIB };
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData, resourceLimits });
  const [{ findings, taken }] = (await once(worker, 'message')) as [FuzzAnswer];
  assert.equal(findings.join('\n\n'), '');
  for (const { name } of targets) assert.ok((taken[name] ?? 0) > ROUNDS / 100, `${name}: ${taken[name]} were accepted`);
});
