import { helpText, OptionError, readOptions } from '@tidegate/options';
import { bench } from './bench.ts';
import { benchOptions } from './options.ts';

const argv = process.argv.slice(2);
if (argv.includes('--help')) {
  process.stdout.write(`npm run bench -- [option...]\n\n${helpText(benchOptions)}\n`);
  process.exit(0);
}
try {
  const { measurements } = await bench(readOptions(benchOptions, argv, process.env), (line) =>
    process.stdout.write(`${line}\n`),
  );
  const troubled = measurements.some((m) => Object.keys(m.errors).length > 0 || m.missing > 0);
  process.exit(troubled ? 1 : 0);
} catch (error) {
  if (!(error instanceof OptionError)) throw error;
  process.stderr.write(`bench: ${error.message}\n`);
  process.exit(2);
}
