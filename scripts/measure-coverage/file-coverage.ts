import { stripTypeScriptTypes } from 'node:module';
import type { RunParts } from './v8-coverage.ts';

export interface FileCoverage {
  /** relative to the root */
  readonly path: string;
  readonly lines: { readonly covered: number; readonly total: number };
  readonly branches: { readonly covered: number; readonly total: number };
  /** the numbers of the lines that were not run in any process */
  readonly missed: readonly number[];
}

/** Types are replaced by spaces, so V8's offsets in the stripped text are those of the file. */
export function coverageOf(path: string, source: string, parts: RunParts | undefined): FileCoverage {
  const missed: number[] = [];
  let total = 0;
  let offset = 0;
  for (const [i, line] of stripped(source).split('\n').entries()) {
    if (isCode(line)) {
      total++;
      if (!hasRun(line, offset, parts)) missed.push(i + 1);
    }
    offset += line.length + 1;
  }
  return {
    path,
    lines: { covered: total - missed.length, total },
    branches: parts?.branches() ?? { covered: 0, total: 1 },
    missed,
  };
}

/** Prints consecutive numbers as ranges: `3-5, 9`. */
export function rangesText(numbers: readonly number[]): string {
  const ranges: Array<[first: number, last: number]> = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(', ');
}

function stripped(source: string): string {
  return stripTypeScriptTypes(source);
}

/** Whether a line has more than brackets and is not a comment. */
function isCode(line: string): boolean {
  return /\w/.test(line) && !/^\s*(\/\/|\/?\*)/.test(line);
}

/** Whether any part of the line was run; parts that were not run count as branches. */
function hasRun(line: string, offset: number, parts: RunParts | undefined): boolean {
  return [...line.matchAll(/\S/g)].some(({ index }) => parts?.wasRun(offset + index) ?? false);
}
