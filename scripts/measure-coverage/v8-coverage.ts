import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * V8's coverage of one script in one process: how often each function was entered, and each block of entered functions.
 */
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

/** The combined coverage of one file in all processes. */
export class RunParts {
  /** one entry per character: 1 if any process has run it */
  readonly #wasRun: Uint8Array;
  /** the start of each reported function or block, by its range */
  readonly #branches = new Map<string, number>();

  constructor(length: number) {
    this.#wasRun = new Uint8Array(length);
  }

  add({ functions }: ScriptCoverage): void {
    const here = new Uint8Array(this.#wasRun.length);
    // inner ranges follow their outer ranges, and are more precise
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

/** Reads the coverage files of all processes; a killed process leaves none, or an incomplete one. */
export function* readCoverage(dir: string): Generator<ScriptCoverage> {
  for (const name of readdirSync(dir)) {
    try {
      const { result } = JSON.parse(readFileSync(join(dir, name), 'utf8')) as { result: ScriptCoverage[] };
      yield* result;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      process.stderr.write(`${name} is incomplete: its process was killed\n`);
    }
  }
}
