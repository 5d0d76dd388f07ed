import { helpText, OptionError, readOptions } from '@tidegate/options';
import { measurements } from './measurements.ts';
import { scaleOptions } from './options.ts';

const print = (line: string) => process.stdout.write(`${line}\n`);
const argv = process.argv.slice(2);
if (argv.includes('--help')) {
  print(`npm run bench:scale -- [option...]\n\n${helpText(scaleOptions)}`);
  process.exit(0);
}
try {
  const options = readOptions(scaleOptions, argv, process.env);
  const chosen = Object.entries(measurements).filter(([name]) => new RegExp(options.only).test(name));
  if (chosen.length === 0) {
    throw new OptionError(`--only ${options.only} matches none of ${Object.keys(measurements).join(', ')}`);
  }
  for (const [name, measure] of chosen) {
    print(`\n${name}\n`);
    await measure(options, print);
  }
  process.exit(0);
} catch (error) {
  if (!(error instanceof OptionError)) throw error;
  process.stderr.write(`bench: ${error.message}\n`);
  process.exit(2);
}
