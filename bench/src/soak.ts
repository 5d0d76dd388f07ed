import { readFileSync } from 'node:fs';

/** Memory of one part at one moment. */
export interface Sample {
  readonly second: number;
  readonly resident: number;
  /** what JavaScript holds, buffers included, garbage included */
  readonly held: number;
}

/** In so many seconds at least one collection of all garbage is to be expected. */
const STRETCH_SECONDS = 10;

export interface Trend {
  readonly mean: number;
  /** what a straight line through the samples gains over their time */
  readonly growth: number;
}

/** Of a part by its pid and the address of its metrics. */
export async function memoryOf(pid: number, opsAddress: string): Promise<Omit<Sample, 'second'>> {
  const text = await (await fetch(`http://${opsAddress}/metrics`)).text();
  const metric = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  const held = metric('nodejs_heap_size_used_bytes') + metric('nodejs_external_memory_bytes');
  const resident = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
  return { held, resident };
}

/**
 * How memory goes on after the warm-up. Garbage comes and goes: of each stretch of time the least that was held is about
 * what is left after a collection.
 */
export function trendOf(samples: readonly Sample[], what: 'held' | 'resident'): Trend {
  const first = samples[0]?.second ?? 0;
  const span = (samples.at(-1)?.second ?? 0) - first + 1;
  const stretches = Math.max(3, Math.min(12, Math.floor(span / STRETCH_SECONDS)));
  const stretchOf = ({ second }: Sample) => Math.floor(((second - first) * stretches) / span);
  const least = [...Map.groupBy(samples, stretchOf)].map(([stretch, those]) => ({
    x: stretch,
    y: Math.min(...those.map((sample) => sample[what])),
  }));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const x = mean(least.map((point) => point.x));
  const y = mean(least.map((point) => point.y));
  const slope =
    least.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0) /
    least.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
  return { mean: y, growth: slope * least.length };
}
