/** How much dearer something has become: an estimate of the ratio, with an interval. */
export interface Interval {
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
}

/**
 * The ratio of two costs from pairs of measurements that were taken one right after the other, by the Hodges-Lehmann
 * estimate: the median of the means of every two logarithms of ratios. Its interval is that of Wilcoxon's signed rank
 * test. Both use ranks, so a few disturbed pairs, however far off, move them little; the mean of all pairs would follow
 * each of them, and the median alone would need half as many pairs again. `chance` is the probability that the true
 * ratio is below the interval, and the same above it.
 */
export function intervalOf(ratios: readonly number[], chance: number): Interval {
  const logs = ratios.map(Math.log);
  const means = logs.flatMap((one, i) => logs.slice(i).map((other) => (one + other) / 2)).sort((a, b) => a - b);
  const middle = ((means[(means.length - 1) >> 1] ?? Number.NaN) + (means[means.length >> 1] ?? Number.NaN)) / 2;
  const rank = lowestRank(rankSums(logs.length), chance);
  return {
    ratio: Math.exp(middle),
    low: rank === 0 ? 0 : Math.exp(means[rank - 1] ?? Number.NaN),
    high: rank === 0 ? Number.POSITIVE_INFINITY : Math.exp(means[means.length - rank] ?? Number.NaN),
  };
}

/**
 * The rank of the mean at which the interval begins: the largest k for which the sum of ranks is below k with at most
 * this chance. 0 where so few pairs allow no such statement.
 */
function lowestRank(probabilities: readonly number[], chance: number): number {
  let below = 0;
  for (let k = 0; k < probabilities.length; k++) {
    below += probabilities[k] ?? 0;
    if (below > chance) return k;
  }
  return 0;
}

/** by the number of pairs, which is the same for many operations */
const known = new Map<number, readonly number[]>();

/** The probability of each sum of the positive ranks 1 to n, if every sign is as likely as the other. */
function rankSums(n: number): readonly number[] {
  const found = known.get(n);
  if (found !== undefined) return found;
  let sums = [1];
  for (let rank = 1; rank <= n; rank++) {
    const next = new Array<number>(sums.length + rank).fill(0);
    for (const [sum, probability] of sums.entries()) {
      next[sum] = (next[sum] ?? 0) + probability / 2;
      next[sum + rank] = (next[sum + rank] ?? 0) + probability / 2;
    }
    sums = next;
  }
  known.set(n, sums);
  return sums;
}

export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return ((sorted[(sorted.length - 1) >> 1] ?? Number.NaN) + (sorted[sorted.length >> 1] ?? Number.NaN)) / 2;
}
