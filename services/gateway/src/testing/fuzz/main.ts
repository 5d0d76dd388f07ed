import { parseArgs } from 'node:util';
import { fuzz } from './fuzz.ts';

/**
 * `npm run fuzz -- [--minutes N] [--seed N] [--only PART-OF-NAME]`: gives all decoders unusual inputs. Prints the seed,
 * the counts, and each finding with its input; the exit code is 1 if there is any.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const end = performance.now() + Number(values.minutes) * 60_000;
console.log(`seed ${seed}`);
const { inputs, taken, findings, slowestMs } = fuzz({
  seed,
  only: values.only,
  shouldContinue: () => performance.now() < end,
});
for (const { target, round, input, error } of findings) {
  console.log(`\n${target}, round ${round}: ${error instanceof Error ? error.stack : String(error)}`);
  console.log(input.toString('base64'));
}
console.log(`\n${inputs} inputs, ${findings.length} findings, the slowest ${slowestMs.toFixed(0)} ms; accepted:`);
for (const [name, count] of Object.entries(taken)) console.log(`  ${count} ${name}`);
process.exit(findings.length === 0 ? 0 : 1);
