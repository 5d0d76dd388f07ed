import { helpText, OptionError, readOptions } from '@tidegate/options';
import { measurePromises } from './measure-promises.ts';
import { promiseOptions } from './options.ts';
import { promises } from './promises.ts';

const argv = process.argv.slice(2);
if (argv.includes('--help')) {
  process.stdout.write(`npm run bench:promises -- [option...]\n\n${helpText(promiseOptions)}\n`);
  process.exit(0);
}
try {
  const report = await measurePromises(promises, readOptions(promiseOptions, argv, process.env), (line) =>
    process.stdout.write(`${line}\n`),
  );
  process.exit(report.promises.some(({ kept }) => kept === 'no') ? 1 : 0);
} catch (error) {
  if (!(error instanceof OptionError)) throw error;
  process.stderr.write(`bench: ${error.message}\n`);
  process.exit(2);
}
