import { type Cluster, Random, until } from '@tidegate/testkit';
import type { History } from '../history/history.ts';
import { runLoad } from '../load/run-load.ts';
import { type FaultName, faults } from './faults.ts';

interface RunOptions {
  readonly cluster: Cluster;
  readonly seed: number;
  readonly namespace: string;
  /** the faults, in order; those of one step are injected at once */
  readonly steps: ReadonlyArray<readonly FaultName[]>;
}

/** The number of operations that clients must complete between two faults. */
const OPERATIONS_BETWEEN = 100;

/** Runs random load and injects one fault after another, each as soon as clients are served again. */
export async function runUnderFaults(options: RunOptions): Promise<{ history: History; story: readonly string[] }> {
  const { cluster, seed, namespace, steps } = options;
  const random = new Random(seed);
  const story: string[] = [];
  let done = 0;
  let isOver = false;
  const load = runLoad({
    ...{ seed, namespace, endpoints: cluster.endpoints, operations: Number.POSITIVE_INFINITY },
    ...{ isOver: () => isOver, onDone: () => done++, pauseMs: 10, keys: 24, catchUpMs: 60_000 },
  });
  const served = (after: string) => {
    const before = done;
    return until(`clients to be served ${after}`, () => done > before + OPERATIONS_BETWEEN, 60_000);
  };
  try {
    await served('before the first fault');
    for (const names of steps) {
      story.push((await Promise.all(names.map((name) => faults[name](cluster, random)))).join(' + '));
      await served(`after: ${story.join('; ')}`);
    }
  } finally {
    isOver = true;
  }
  return { history: await load, story };
}
