import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What V8 tells of one script in one process: how often each function was entered, and each block of those that were. */
export interface ScriptCoverage {
  readonly url: string;
  readonly functions: ReadonlyArray<{
    readonly ranges: ReadonlyArray<{
      readonly startOffset: number;
      readonly endOffset: number;
      readonly count: number;
    }>;
  }>;
}

/** What all processes together have run of one file. */
export class RunParts {
  /** one entry for each character: 1 where any process has run it */
  readonly #wasRun: Uint8Array;
  /** where functions and blocks begin that any process has told of, by their ranges */
  readonly #branches = new Map<string, number>();

  constructor(length: number) {
    this.#wasRun = new Uint8Array(length);
  }

  add({ functions }: ScriptCoverage): void {
    const here = new Uint8Array(this.#wasRun.length);
    // inner ranges come after those around them, and say more
    for (const { startOffset, endOffset, count } of functions.flatMap(({ ranges }) => ranges)) {
      here.fill(count > 0 ? 1 : 0, startOffset, endOffset);
      this.#branches.set(`${startOffset}-${endOffset}`, startOffset);
    }
    for (let i = 0; i < here.length; i++) if (here[i] === 1) this.#wasRun[i] = 1;
  }

  wasRun(offset: number): boolean {
    return this.#wasRun[offset] === 1;
  }

  branches(): { covered: number; total: number } {
    const starts = [...this.#branches.values()];
    return { covered: starts.filter((start) => this.wasRun(start)).length, total: starts.length };
  }
}

/** What the processes have left in a directory; one that was killed has left nothing, or half of it. */
export function* readCoverage(dir: string): Generator<ScriptCoverage> {
  for (const name of readdirSync(dir)) {
    try {
      const { result } = JSON.parse(readFileSync(join(dir, name), 'utf8')) as { result: ScriptCoverage[] };
      yield* result;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      process.stderr.write(`${name} is not whole: its process was killed\n`);
    }
  }
}
