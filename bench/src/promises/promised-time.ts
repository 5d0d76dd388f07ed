import type { Systems } from './systems.ts';

/** A time that users are promised. */
export interface PromisedTime {
  /** what takes the time, as the table shows it */
  readonly name: string;
  readonly limitMs: number;
  /** the page that states the promise; empty for a goal that no page states */
  readonly page: string;
  /** how often it is measured by default */
  readonly times: number;
  /** Measures it so often, in ms, and leaves the systems as they were. */
  measure(systems: Systems, times: number): Promise<number[]>;
}

/** Runs one measurement after another; each gets its number, for names that are used once. */
export async function repeat(times: number, measure: (round: number) => Promise<number>): Promise<number[]> {
  const all: number[] = [];
  for (let round = 0; round < times; round++) all.push(await measure(round));
  return all;
}
