import { type Failure, type FileResult, Lane } from './lane-process.ts';

interface QueueOptions {
  readonly lanes: number;
  readonly limitMs: number;
  readonly done: (path: string, result: FileResult) => void;
  /** what failed when a process had run its last file */
  readonly ended: (failures: readonly Failure[]) => void;
}

/** Runs files in so many processes at a time: whichever is free takes the next one. */
export async function runFiles(paths: readonly string[], { lanes, limitMs, done, ended }: QueueOptions): Promise<void> {
  const left = paths.values();
  const work = async () => {
    const lane = new Lane({ limitMs });
    for (const path of left) done(path, await lane.run(path));
    ended(await lane.end());
  };
  await Promise.all(Array.from({ length: Math.min(lanes, paths.length) }, work));
}

/** The same order for the same seed. */
export function shuffled<T>(values: readonly T[], seed: number): T[] {
  const result = [...values];
  let state = seed >>> 0;
  for (let i = result.length - 1; i > 0; i--) {
    // a linear congruential step is random enough for an order
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const j = Math.floor((state / 2 ** 32) * (i + 1));
    [result[i], result[j]] = [result[j] as T, result[i] as T];
  }
  return result;
}
