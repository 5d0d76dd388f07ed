import { table } from '../tables.ts';
import type { MeasuredPromise } from './measured-promise.ts';

export function promiseTable(promises: readonly MeasuredPromise[]): string {
  const rows = promises.map(({ name, times, medianMs, slowestMs, limitMs, kept }) => [
    name,
    String(times.length),
    duration(medianMs),
    duration(slowestMs),
    duration(limitMs),
    kept,
  ]);
  return table(['promise', 'measured', 'median', 'slowest', 'limit', 'kept'], rows);
}

function duration(ms: number): string {
  return ms < 999.5 ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
