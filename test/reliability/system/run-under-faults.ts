import { Random, until } from '@tidegate/testkit';
import type { History } from '../history/history.ts';
import { runLoad } from '../load/run-load.ts';
import type { Cluster } from './cluster.ts';
import { type FaultName, faults } from './faults.ts';

interface UnderFaults {
  readonly cluster: Cluster;
  readonly seed: number;
  readonly namespace: string;
  /** in this order; those of one step at once */
  readonly steps: ReadonlyArray<readonly FaultName[]>;
}

/** What clients must be able to do between two faults. */
const OPERATIONS_BETWEEN = 100;

/** Random load, and one fault after another as soon as clients were served again. */
export async function runUnderFaults(options: UnderFaults): Promise<{ history: History; story: readonly string[] }> {
  const { cluster, seed, namespace, steps } = options;
  const random = new Random(seed);
  const story: string[] = [];
  let done = 0;
  let over = false;
  const load = runLoad({
    ...{ seed, namespace, endpoints: cluster.endpoints, operations: Number.POSITIVE_INFINITY },
    ...{ over: () => over, done: () => done++, betweenMs: 10, keys: 24, catchUpMs: 60_000 },
  });
  const served = (after: string) => {
    const before = done;
    return until(`clients to be served ${after}`, () => done > before + OPERATIONS_BETWEEN, 60_000);
  };
  try {
    await served('at first');
    for (const names of steps) {
      story.push((await Promise.all(names.map((name) => faults[name](cluster, random)))).join(' + '));
      await served(`after: ${story.join('; ')}`);
    }
  } finally {
    over = true;
  }
  return { history: await load, story };
}
