import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { finished } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { cacheDir } from '@tidegate/local';

/**
 * Runs the tests repeatedly, each time in another random order: `npm run test:again -- 20 [word...]`. The output of a
 * failed run is kept. The last lines list the runs with their seeds, which reproduce the order.
 *
 *   --burners   keeps every core busy during the tests, as on a shared machine
 *   --long      also runs the *.long.test.ts files
 *   --lanes N   the number of concurrent processes of a run
 */
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    burners: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    lanes: { type: 'string' },
  },
});
const [times = '', ...words] = positionals;
if (!/^[1-9]\d*$/.test(times)) {
  process.stderr.write('usage: npm run test:again -- TIMES [--burners] [--long] [--lanes N] [word...]\n');
  process.exit(2);
}

/** The time after which a burner exits by itself. */
const MAX_BURNER_SECONDS = 4 * 3600;
const here = import.meta.dirname;
const kept = join(cacheDir(), 'again', new Date().toISOString().replaceAll(/[:.]/g, '-'));
const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill();
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const outcomes: Array<{ passed: boolean; line: string }> = [];
mkdirSync(kept, { recursive: true });
for (let number = 1; number <= Number(times); number++) outcomes.push(await runOnce(number));

const failed = outcomes.filter(({ passed }) => !passed).length;
if (failed === 0) rmSync(kept, { recursive: true });
process.stdout.write(`\n${outcomes.map(({ line }) => line).join('\n')}\n`);
process.stdout.write(
  failed === 0
    ? `all ${times} runs passed\n`
    : `${failed} of ${times} runs failed: their output is in ${relative('.', kept)}\n`,
);
process.exitCode = failed === 0 ? 0 : 1;

async function runOnce(number: number): Promise<{ passed: boolean; line: string }> {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const name = `run ${number} of ${times}, seed ${seed}`;
  process.stdout.write(`${name}\n`);
  const file = join(kept, `run-${number}-seed-${seed}.txt`);
  const begun = performance.now();
  const burners = options.burners ? Array.from({ length: availableParallelism() }, startBurner) : [];
  const { code, last } = await runTests(seed, file);
  for (const burner of burners) burner.kill();
  const time = `${((performance.now() - begun) / 1000).toFixed(0)} s`;
  if (code === 0) rmSync(file);
  const word = code === 0 ? 'passed' : `FAILED with ${code}`;
  return { passed: code === 0, line: `${name}: ${word} after ${time}: ${last}` };
}

/** Returns the exit code and the last line of the output. */
async function runTests(seed: number, file: string): Promise<{ code: number | null; last: string }> {
  const lanes = options.lanes === undefined ? [] : [`--lanes=${options.lanes}`];
  const args = [join(here, 'run.ts'), `--seed=${seed}`, ...lanes, ...(options.long ? ['--long'] : []), ...words];
  const child = started(spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] }));
  const output = createWriteStream(file);
  let last = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output.write(text);
      process.stdout.write(text.replaceAll(/^ok .*\n/gm, ''));
      last = text.trim().split('\n').at(-1) || last;
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  output.end();
  await finished(output);
  return { code, last };
}

function startBurner(): ChildProcess {
  const args = [join(here, 'runner', 'burner.ts'), String(MAX_BURNER_SECONDS)];
  return started(spawn(process.execPath, args, { stdio: 'ignore' }));
}

function started(child: ChildProcess): ChildProcess {
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}
