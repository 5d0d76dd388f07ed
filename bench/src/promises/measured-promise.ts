import type { PromisedTime } from './promised-time.ts';

export interface MeasuredPromise {
  readonly name: string;
  readonly page: string;
  readonly limitMs: number;
  /** in ms, in the order in which they were measured */
  readonly times: readonly number[];
  readonly medianMs: number;
  readonly slowestMs: number;
  readonly kept: Kept;
}

/** Whether all times were within the limit, or only their median: on a busy machine single times are late. */
export type Kept = 'always' | 'at the median' | 'no';

export function measuredPromise(
  { name, page, limitMs }: Pick<PromisedTime, 'name' | 'page' | 'limitMs'>,
  times: readonly number[],
): MeasuredPromise {
  const sorted = [...times].sort((a, b) => a - b);
  const medianMs = medianOf(sorted);
  const slowestMs = sorted.at(-1) ?? Number.NaN;
  const kept = slowestMs <= limitMs ? 'always' : medianMs <= limitMs ? 'at the median' : 'no';
  return { name, page, limitMs, times, medianMs, slowestMs, kept };
}

/** The mean of both middle values if there is an even number of them. */
function medianOf(sorted: readonly number[]): number {
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
}
