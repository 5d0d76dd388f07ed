import { join } from 'node:path';
import { cacheDir, commandLineOf, PARTS, PROGRAM_SOURCES, projectRoot } from '@tidegate/local';
import { createNamespace } from '../measure.ts';
import { newTarget, type Target } from '../target.ts';
import { CLIENTS, type Guarded, OBJECTS } from './operations.ts';
import { type Costs, Turns } from './turns.ts';

/** The costs of one operation on both systems, in the same turn. */
export interface Pair {
  readonly before: Costs;
  readonly now: Costs;
}

export type Pairs = ReadonlyMap<Guarded, readonly Pair[]>;

/** On a machine that is too slow for all warm-ups, a part of the time is left for the measurement. */
const WARM_UP_SHARE = 0.5;

interface Comparison {
  /** the main file of the earlier version */
  readonly main: string;
  readonly operations: readonly Guarded[];
  /** how often both systems are started: two processes of one version differ by up to 3 % as long as they live */
  readonly starts: number;
  /** turns of each operation before the first one that counts, because compiled code still changes */
  readonly warmUps: number;
  /** of all starts together, without the warm-ups */
  readonly seconds: number;
  /** seconds after the start of this process at which the last turn ends, however slow the machine is */
  readonly latest: number;
  readonly print: (line: string) => void;
}

/**
 * Runs both versions at the same time, and measures each operation on both at the same time, in many short turns.
 * Whatever else the machine does, or whatever its clock does, concerns both about equally.
 */
export async function compare(comparison: Comparison): Promise<Pairs> {
  const pairs = new Map<Guarded, Pair[]>(comparison.operations.map((one) => [one, []]));
  for (let start = 1; start <= comparison.starts; start++) await startBoth(comparison, pairs);
  return pairs;
}

async function startBoth(comparison: Comparison, pairs: ReadonlyMap<Guarded, Pair[]>): Promise<void> {
  const { print } = comparison;
  const own = join(projectRoot, PROGRAM_SOURCES.tidegate);
  // both run their sources, because only this version could be bundled
  const start = (main: string) => newTarget({ main, env: { TIDEGATE_CACHE_DIR: cacheDir() } });
  const starting = [start(comparison.main), start(own)] as const;
  const turns = new Turns();
  try {
    const [before, now] = await Promise.all(starting);
    requireSources(before, comparison.main);
    requireSources(now, own);
    const name = `against-${Date.now().toString(36)}`;
    await turns.open('before', before, await createNamespace(before, name, 'ConfigMap'));
    await turns.open('now', now, await createNamespace(now, name, 'ConfigMap'));
    await measure(turns, comparison, pairs);
  } finally {
    turns.close();
    for (const outcome of await Promise.allSettled(starting)) {
      // a part that is still busy has no influence on what was measured
      if (outcome.status === 'fulfilled') await outcome.value.stop().catch((error: Error) => print(error.message));
    }
  }
}

/** Else the guard would compare a version with itself, and never fail. */
function requireSources({ processes }: Target, main: string): void {
  const root = main.slice(0, -PROGRAM_SOURCES.tidegate.length);
  const services = processes.filter(({ name }) => (PARTS as readonly string[]).includes(name));
  const lines = services.map(({ pid }) => commandLineOf(pid) ?? '');
  const foreign = lines.filter((line) => !line.includes(`${root}services/`));
  if (services.length === 0 || foreign.length > 0) throw new Error(`${root} runs services of another tree: ${foreign}`);
}

async function measure(turns: Turns, comparison: Comparison, pairs: ReadonlyMap<Guarded, Pair[]>): Promise<void> {
  const { starts, warmUps, seconds, latest, print } = comparison;
  await turns.run({ operation: 'create', clients: CLIENTS, count: OBJECTS, first: 0 });
  let end = latest * 1000;
  let isWarm = false;
  for (let round = 0; performance.now() < end; round++) {
    if (!isWarm && (round === warmUps || performance.now() > end * WARM_UP_SHARE)) {
      isWarm = true;
      print('both versions run and are warm');
      end = Math.min(end, performance.now() + (seconds / starts) * 1000);
    }
    for (const [one, measured] of pairs) {
      const costs = await turnsOf(turns, one, round);
      if (isWarm) measured.push(...costs);
    }
  }
}

async function turnsOf(turns: Turns, { operation, count, turns: number = 1 }: Guarded, round: number): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (let i = 0; i < number; i++) {
    const first = OBJECTS + (round * number + i) * count;
    const costs = await turns.run({ operation, clients: CLIENTS, count, first });
    const [before, now] = [costs.get('before'), costs.get('now')];
    if (before !== undefined && now !== undefined) pairs.push({ before, now });
  }
  return pairs;
}
