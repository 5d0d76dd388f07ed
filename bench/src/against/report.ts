import { figure, table } from '../tables.ts';
import type { Pair, Pairs } from './compare.ts';
import { medianOf } from './interval.ts';
import type { Costs } from './turns.ts';
import { judge, LIMIT, type Verdict } from './verdict.ts';

/** Changes of a part that are smaller, in microseconds or as a share of the operation, are not shown. */
const SMALLEST_CHANGE = { us: 1, share: 0.01 };

export interface Result {
  readonly name: string;
  readonly verdict: Verdict;
  readonly cells: readonly string[];
}

export function resultsOf(pairs: Pairs): Result[] {
  const measured = [...pairs].filter(([, all]) => all.length > 0);
  return measured.map(([{ name }, all]) => {
    const ratios = all.map(({ before, now }) => sumOf(now) / sumOf(before));
    const { ratio, low, high, verdict } = judge(ratios, pairs.size);
    const [before, now] = (['before', 'now'] as const).map((side) => medianOf(all.map((pair) => sumOf(pair[side]))));
    const interval = Number.isFinite(high) ? `${low.toFixed(3)} to ${high.toFixed(3)}` : '-';
    const helpers = (['before', 'now'] as const).map((side) => figure(meanOf(all.map((pair) => pair[side].helpers))));
    const cells = [name, figure(before), figure(now), ratio.toFixed(3), interval, String(all.length), verdict];
    return { name, verdict, cells: [...cells, changesOf(all, before ?? 0), helpers.join(' / ')] };
  });
}

const HEAD = [
  'operation',
  'us/op before',
  'now',
  'ratio',
  'interval',
  'pairs',
  'verdict',
  'changes of parts',
  'V8 helpers',
];

export function resultText(results: readonly Result[]): string {
  const failing = results.filter(({ verdict }) => verdict === 'too dear').map(({ name }) => name);
  const percent = Math.round((LIMIT - 1) * 100);
  const summary =
    failing.length === 0
      ? `No operation is known to have become more than ${percent} % dearer.`
      : `More than ${percent} % dearer: ${failing.join(', ')}.`;
  return `${table(
    HEAD,
    results.map(({ cells }) => cells),
  )}\n\n${summary}`;
}

function sumOf(costs: Costs): number {
  return [...costs.parts.values()].reduce((sum, cost) => sum + cost, 0);
}

/** The mean, because the helpers work in few turns. */
function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The parts whose costs have changed, by the median difference. */
function changesOf(pairs: readonly Pair[], total: number): string {
  const parts = [...(pairs[0]?.now.parts.keys() ?? [])];
  const changes = parts.map((part) => ({
    part,
    change: medianOf(pairs.map(({ before, now }) => (now.parts.get(part) ?? 0) - (before.parts.get(part) ?? 0))),
  }));
  return changes
    .filter(({ change }) => Math.abs(change) >= Math.max(SMALLEST_CHANGE.us, total * SMALLEST_CHANGE.share))
    .map(({ part, change }) => `${part} ${change > 0 ? '+' : '-'}${figure(Math.abs(change))}`)
    .join(', ');
}
