import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findTests } from './runner/files.ts';
import type { Failure, FileResult } from './runner/lane-process.ts';
import { runFiles, shuffled } from './runner/queue.ts';
import { lineOf, listedWithoutTest, missedInCi, type Skipped, skippedText } from './runner/skipped.ts';
import { type Measured, timesText } from './runner/times.ts';
import { makeWorkplace } from './runner/workplace.ts';

/**
 * Runs all tests of the project: first those beside the sources, then those across services. With words as arguments, it
 * runs only the files whose path contains one of them. The last lines list the tests that were left out because a tool is
 * missing, the other skipped tests with their reasons, and the number of passed tests.
 *
 *   --long      also runs the *.long.test.ts files, one at a time
 *   --ci        fails if a test is skipped that runner/left-out-in-ci.ts does not list, or if it lists a test that
 *               does not exist
 *   --times     prints the times of the files
 *   --seed N    runs the files in a random order, which the seed reproduces
 *   --lanes N   the number of concurrent processes; by default two more than cores, because tests also wait
 */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    long: { type: 'boolean', default: false },
    ci: { type: 'boolean', default: false },
    times: { type: 'boolean', default: false },
    seed: { type: 'string' },
    lanes: { type: 'string', default: String(availableParallelism() + 2) },
  },
});

const LIMIT_MS = { usual: 300_000, long: 3_600_000 };

const workplace = makeWorkplace();
process.env.TMPDIR = workplace.path;
process.once('exit', () => workplace.remove());
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const begun = performance.now();
const files = findTests({ root, long: options.long, words });
const usual = files.filter(({ needs }) => needs !== 'long');
const long = files.filter(({ needs }) => needs === 'long');
const ordered = options.seed === undefined ? usual : shuffled(usual, Number(options.seed));

const skipped: Skipped[] = [];
const measured: Measured[] = [];
let passed = 0;
const names: string[] = [];
let failed = 0;

await runFiles(ordered, { lanes: Number(options.lanes), limitMs: LIMIT_MS.usual, done, ended });
await runFiles(long, { lanes: 1, limitMs: LIMIT_MS.long, done, ended });

if (options.times) process.stdout.write(timesText(measured, performance.now() - begun));
process.stdout.write(skippedText(skipped));
const missed = options.ci ? missedInCi(skipped) : [];
for (const one of missed) process.stdout.write(`FAILED because it must run here: ${lineOf(one)}\n`);
const unknown = options.ci && words.length === 0 && failed === 0 ? listedWithoutTest(names, skipped) : [];
for (const name of unknown)
  process.stdout.write(`FAILED because runner/left-out-in-ci.ts lists a test that does not exist: ${name}\n`);
process.stdout.write(`${passed} passed, ${failed} failed, ${skipped.length} skipped\n`);
process.exitCode = failed + missed.length + unknown.length === 0 && passed + skipped.length > 0 ? 0 : 1;

function done(file: string, result: FileResult): void {
  const path = file.slice(root.length + 1);
  const time = result.cost === undefined ? '' : ` (${(result.cost.wallMs / 1000).toFixed(1)} s)`;
  process.stdout.write(`${result.failures.length === 0 ? 'ok    ' : 'FAILED'} ${path}${time}\n`);
  printFailures(path, result.failures);
  passed += result.passed;
  names.push(...result.names);
  skipped.push(...result.skipped);
  if (result.cost !== undefined) measured.push({ path, cost: result.cost });
}

function ended(failures: readonly Failure[]): void {
  printFailures('at the end', failures);
}

function printFailures(place: string, failures: readonly Failure[]): void {
  failed += failures.length;
  for (const { name, error } of failures) {
    process.stdout.write(`FAILED ${place}: ${name}\n${error.replace(/^/gm, '    ')}\n`);
  }
}
