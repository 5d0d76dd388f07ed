import { type Interval, intervalOf } from './interval.ts';

/** An operation may become this much dearer. */
export const LIMIT = 1.05;
/** The probability that a run fails although no operation has become dearer than the limit. */
const FALSE_ALARM = 0.01;

export type Verdict = 'too dear' | 'dearer' | 'cheaper' | 'unchanged' | 'uncertain' | 'too few turns';

/**
 * The interval of each operation is so wide that all of them together cause at most one false alarm in a hundred runs,
 * however many operations there are (Bonferroni). It follows that each has more than the 95 % that a single one needs.
 */
export function judge(ratios: readonly number[], operations: number): Interval & { readonly verdict: Verdict } {
  const interval = intervalOf(ratios, FALSE_ALARM / operations);
  return { ...interval, verdict: verdictOf(interval) };
}

function verdictOf({ low, high }: Interval): Verdict {
  if (!Number.isFinite(high)) return 'too few turns';
  if (low > LIMIT) return 'too dear';
  if (low > 1) return 'dearer';
  if (high < 1) return 'cheaper';
  return high <= LIMIT ? 'unchanged' : 'uncertain';
}
