import { type DataDir, dataDirAt, defaultDataDir } from '@tidegate/local';
import { helpText, type OptionTable, readOptions } from '@tidegate/options';

export const table = {
  'data-dir': { type: 'string', default: defaultDataDir, value: 'DIR', help: 'the data directory of the system' },
} as const satisfies OptionTable;

/** Reads the data directory of a command; undefined where only help was requested, which this prints. */
export function readDataDir(argv: readonly string[], about: string): DataDir | undefined {
  if (argv.includes('--help')) {
    process.stdout.write(`${about}\n\n${helpText(table)}\n`);
    return undefined;
  }
  return dataDirAt(readOptions(table, argv, process.env).dataDir);
}
