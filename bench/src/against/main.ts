import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@tidegate/local';
import { helpText, OptionError, readOptions, splitOperands } from '@tidegate/options';
import { compare } from './compare.ts';
import { selected } from './operations.ts';
import { againstOptions } from './options.ts';
import { resultsOf, resultText } from './report.ts';
import { commitOf, mainOf } from './tree.ts';

/** Exits with 1 if an operation costs more than 5 % more CPU time than at an earlier commit. */
const BASE_FILE = 'bench/guard-base';
const FULL = { starts: 3, warmUps: 8, latest: Number.POSITIVE_INFINITY };
const SHORT = { starts: 1, warmUps: 4, seconds: 32, latest: 50 };

const print = (line: string) => process.stdout.write(`${line}\n`);
const argv = process.argv.slice(2);
if (argv.includes('--help')) {
  print(`npm run bench:against -- COMMIT [option...]\n\n${helpText(againstOptions)}`);
  process.exit(0);
}
try {
  process.exit(await exitCode());
} catch (error) {
  if (!(error instanceof OptionError)) throw error;
  process.stderr.write(`bench: ${error.message}\n`);
  process.exit(2);
}

async function exitCode(): Promise<number> {
  const { operands, flags } = splitOperands(againstOptions, argv);
  const { seconds, only, short } = readOptions(againstOptions, flags, process.env);
  const [name = short ? baseOfFile() : ''] = operands;
  if (name === '' || operands.length > 1) throw new OptionError('name one commit to compare with');
  const commit = commitOf(name);
  if (commit === undefined) {
    if (operands.length === 1) throw new OptionError(`${name} is no commit of this clone`);
    print(`bench: nothing is compared, because this clone does not have commit ${name} of ${BASE_FILE}`);
    return 0;
  }
  const operations = selected(only, short);
  if (operations.length === 0) throw new OptionError(`no operation matches --only ${only}`);
  const effort = short ? SHORT : { ...FULL, seconds };
  const pairs = await compare({ main: mainOf(commit), operations, ...effort, print });
  const results = resultsOf(pairs);
  print(`\nagainst ${commit}\n\n${resultText(results)}`);
  return results.some(({ verdict }) => verdict === 'too dear') ? 1 : 0;
}

function baseOfFile(): string {
  return readFileSync(join(projectRoot, BASE_FILE), 'utf8').trim();
}
