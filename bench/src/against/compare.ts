import { join } from 'node:path';
import { PROGRAM_SOURCES, projectRoot } from '@tidegate/local';
import { createNamespace } from '../measure.ts';
import { newTarget, type Target } from '../target.ts';
import { CLIENTS, type Guarded, OBJECTS } from './operations.ts';
import { type Costs, Turns } from './turns.ts';

/** The costs of one operation on both systems, one right after the other. */
export interface Pair {
  readonly before: Costs;
  readonly now: Costs;
}

export type Pairs = ReadonlyMap<Guarded, readonly Pair[]>;

interface Comparison {
  /** the main file of the earlier version */
  readonly main: string;
  readonly operations: readonly Guarded[];
  /** turns of each operation before the first one that counts */
  readonly warmUps: number;
  readonly seconds: number;
  readonly print: (line: string) => void;
}

/**
 * Runs both versions at the same time, and measures each operation on one and then on the other, many times. Whatever
 * else the machine does, or whatever its clock does, concerns both turns of a pair about equally. The version that is
 * first changes from round to round (ABBA), so that a drift makes neither of them cheaper.
 */
export async function compare(comparison: Comparison): Promise<Pairs> {
  const own = join(projectRoot, PROGRAM_SOURCES.tidegate);
  // both run their sources, because only this version could be bundled
  const starting = [comparison.main, own].map((main) => newTarget({ main }));
  const turns = new Turns();
  try {
    const [before, now] = (await Promise.all(starting)) as [Target, Target];
    const name = `against-${Date.now().toString(36)}`;
    await turns.open('before', before, await createNamespace(before, name, 'ConfigMap'));
    await turns.open('now', now, await createNamespace(now, name, 'ConfigMap'));
    return await measure(turns, comparison);
  } finally {
    turns.close();
    for (const outcome of await Promise.allSettled(starting)) {
      if (outcome.status === 'fulfilled') await outcome.value.stop();
    }
  }
}

const ORDERS = [
  ['before', 'now'],
  ['now', 'before'],
] as const;

async function measure(turns: Turns, { operations, warmUps, seconds, print }: Comparison): Promise<Pairs> {
  for (const side of ORDERS[0]) {
    await turns.run({ side, operation: 'create', clients: CLIENTS, count: OBJECTS, first: 0 });
  }
  const pairs = new Map<Guarded, Pair[]>(operations.map((one) => [one, []]));
  let end = Number.POSITIVE_INFINITY;
  for (let round = 0; performance.now() < end; round++) {
    if (round === warmUps) {
      print('warm; measuring');
      end = performance.now() + seconds * 1000;
    }
    for (const one of operations) {
      const pair = await pairOf(turns, one, round);
      if (round >= warmUps) pairs.get(one)?.push(pair);
    }
  }
  return pairs;
}

async function pairOf(turns: Turns, { operation, count }: Guarded, round: number): Promise<Pair> {
  const first = OBJECTS + round * count;
  const costs = new Map<string, Costs>();
  for (const side of ORDERS[round % ORDERS.length] ?? ORDERS[0]) {
    costs.set(side, await turns.run({ side, operation, clients: CLIENTS, count, first }));
  }
  return { before: costs.get('before') ?? new Map(), now: costs.get('now') ?? new Map() };
}
