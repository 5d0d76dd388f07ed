import type { TestFile } from './files.ts';
import { type Failure, type FileResult, Lane } from './lane-process.ts';

interface QueueOptions {
  readonly lanes: number;
  readonly limitMs: number;
  readonly done: (file: string, result: FileResult) => void;
  /** gets the failures of the endings of shared resources */
  readonly ended: (failures: readonly Failure[]) => void;
}

/** Runs files in several processes; each free process takes the next file. */
export async function runFiles(
  files: readonly TestFile[],
  { lanes, limitMs, done, ended }: QueueOptions,
): Promise<void> {
  const backlog = new Backlog(files);
  const work = async () => {
    const lane = new Lane({ limitMs });
    let shared: string | undefined;
    for (let next = backlog.take(lane); next !== undefined; next = backlog.take(lane)) {
      // the previous shared system is not needed any more, and even an idle one takes memory and CPU time
      if (shared !== undefined && next.system !== shared) ended(await lane.endShared());
      shared = next.system;
      done(next.file, await lane.run(next.file));
    }
    ended(await lane.end());
  };
  await Promise.all(Array.from({ length: Math.min(lanes, files.length) }, work));
}

/**
 * The files that have not been taken yet. Each process that runs a file with a shared system starts that system. So a
 * process with such a system first takes the remaining files for it, and other processes prefer other files.
 */
export class Backlog {
  readonly #files: TestFile[];
  readonly #systems = new Map<object, string>();

  constructor(files: readonly TestFile[]) {
    this.#files = [...files];
  }

  take(taker: object): TestFile | undefined {
    const mine = this.#systems.get(taker);
    const others = new Set([...this.#systems].filter(([other]) => other !== taker).map(([, system]) => system));
    const isMine = ({ system }: TestFile) => system !== undefined && system === mine;
    const isFree = ({ system }: TestFile) => system === undefined || !others.has(system);
    const next = this.#files.find(isMine) ?? this.#files.find(isFree) ?? this.#files[0];
    if (next === undefined) return undefined;
    this.#files.splice(this.#files.indexOf(next), 1);
    if (next.system !== undefined) this.#systems.set(taker, next.system);
    return next;
  }
}

/** Shuffles with a seed. */
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
