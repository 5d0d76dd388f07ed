import { loadavg } from 'node:os';
import { helpText, OptionError, readOptions } from '@tidegate/options';
import { measureAccounts } from './account/account.ts';
import { accountPage } from './account/page.ts';
import { bench } from './bench.ts';
import { commit, machine } from './machine.ts';
import { benchOptions } from './options.ts';

const argv = process.argv.slice(2);
if (argv.includes('--help')) {
  process.stdout.write(`npm run bench -- [option...]\n\n${helpText(benchOptions)}\n`);
  process.exit(0);
}
try {
  const options = readOptions(benchOptions, argv, process.env);
  if (options.account) {
    await printAccount(options.scale);
    process.exit(0);
  }
  const { measurements } = await bench(options, (line) => process.stdout.write(`${line}\n`));
  const troubled = measurements.some((m) => Object.keys(m.errors).length > 0 || m.missing > 0);
  process.exit(troubled ? 1 : 0);
} catch (error) {
  if (!(error instanceof OptionError)) throw error;
  process.stderr.write(`bench: ${error.message}\n`);
  process.exit(2);
}

/** The page goes to the standard output, what it measures meanwhile to the other one. */
async function printAccount(scale: number): Promise<void> {
  const load = loadavg()[0]?.toFixed(1);
  const accounts = await measureAccounts((line) => process.stderr.write(`${line}\n`), scale);
  const { cpus, model, node } = machine();
  const circumstances = { commit: commit(), date: new Date().toISOString().slice(0, 10) };
  process.stdout.write(
    accountPage(accounts, {
      ...circumstances,
      machine: `${cpus} cores (${model}), Node ${node}, with a load average of ${load}`,
    }),
  );
}
