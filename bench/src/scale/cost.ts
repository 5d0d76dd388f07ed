import { cpuSeconds, type ServerProcess } from '../cpu.ts';
import type { Job } from '../generator/work.ts';
import { load } from '../load.ts';

/** The CPU microseconds of all processes for one operation of these jobs, which run at the same time. */
export async function costOf(processes: readonly ServerProcess[], ...jobs: readonly Job[]): Promise<number> {
  const sum = () => [...cpuSeconds(processes).values()].reduce((total, seconds) => total + seconds, 0);
  let before: number | undefined;
  const begun = () => {
    before ??= sum();
  };
  const outcomes = await Promise.all(jobs.map((job) => load(job, begun)));
  return ((sum() - (before ?? 0)) * 1e6) / outcomes.reduce((total, { operations }) => total + operations, 0);
}
