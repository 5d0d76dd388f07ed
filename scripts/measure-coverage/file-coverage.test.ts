import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverageOf, rangesText } from './file-coverage.ts';
import { RunParts, type ScriptCoverage } from './v8-coverage.ts';

const SOURCE = `/** Says no. */
interface Question { text: string }
export function answer(question: Question): string {
  if (question.text === '') {
    return 'nothing';
  }
  return 'no';
}
`;
const BLOCK = "{\n    return 'nothing';\n  }";

/** The coverage of one process, with the number of entries of the function and its block. */
function coverage(functionCount: number, blockCount: number): ScriptCoverage {
  const range = (text: string, count: number) => {
    const startOffset = SOURCE.indexOf(text);
    return { startOffset, endOffset: startOffset + text.length, count };
  };
  const whole = { startOffset: 0, endOffset: SOURCE.length, count: 1 };
  const body = SOURCE.slice(SOURCE.indexOf('function'), -1);
  return {
    url: '',
    functions: [{ ranges: [whole] }, { ranges: [range(body, functionCount), range(BLOCK, blockCount)] }],
  };
}

function covered(...processes: ScriptCoverage[]) {
  const parts = new RunParts(SOURCE.length);
  for (const one of processes) parts.add(one);
  return coverageOf('a.ts', SOURCE, parts);
}

test('Lines and branches that were not run are reported; types and comments do not count as lines.', () => {
  assert.deepEqual(covered(coverage(1, 0)), {
    path: 'a.ts',
    lines: { covered: 3, total: 4 },
    branches: { covered: 2, total: 3 },
    missed: [5],
  });
});

test('Code that one process has run is covered, even if others have not run it.', () => {
  const { missed, branches } = covered(coverage(0, 0), coverage(1, 1), coverage(1, 0));
  assert.deepEqual([missed, branches], [[], { covered: 3, total: 3 }]);
});

test('A file that no process has loaded is not covered at all.', () => {
  assert.deepEqual(coverageOf('a.ts', SOURCE, undefined).missed, [3, 4, 5, 7]);
});

test('Consecutive numbers are printed as ranges.', () => {
  assert.equal(rangesText([1, 2, 3, 5, 8, 9]), '1-3, 5, 8-9');
  assert.equal(rangesText([]), '');
});
