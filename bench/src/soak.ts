import { readFileSync } from 'node:fs';

/** Memory of one part at one moment. */
export interface Sample {
  readonly second: number;
  readonly resident: number;
  /** heap and external memory, including garbage */
  readonly held: number;
}

/** A full garbage collection is expected at least once in this time. */
const INTERVAL_SECONDS = 10;

export interface Trend {
  readonly mean: number;
  /** the increase of a straight line through the samples over their time */
  readonly growth: number;
}

/** Reads the memory of a part by its pid and its metrics. */
export async function memoryOf(pid: number, opsAddress: string): Promise<Omit<Sample, 'second'>> {
  const text = await (await fetch(`http://${opsAddress}/metrics`)).text();
  const metric = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  const held = metric('nodejs_heap_size_used_bytes') + metric('nodejs_external_memory_bytes');
  const resident = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
  return { held, resident };
}

/**
 * The trend of the memory after the warm-up. In each interval, the minimum is about the memory after a garbage
 * collection.
 */
export function trendOf(samples: readonly Sample[], what: 'held' | 'resident'): Trend {
  const first = samples[0]?.second ?? 0;
  const span = (samples.at(-1)?.second ?? 0) - first + 1;
  const intervals = Math.max(3, Math.min(12, Math.floor(span / INTERVAL_SECONDS)));
  const intervalOf = ({ second }: Sample) => Math.floor(((second - first) * intervals) / span);
  const minima = [...Map.groupBy(samples, intervalOf)].map(([interval, members]) => ({
    x: interval,
    y: Math.min(...members.map((sample) => sample[what])),
  }));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const x = mean(minima.map((point) => point.x));
  const y = mean(minima.map((point) => point.y));
  const slope =
    minima.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0) /
    minima.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
  return { mean: y, growth: slope * minima.length };
}
