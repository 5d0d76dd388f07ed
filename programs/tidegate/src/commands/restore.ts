import { resolve } from 'node:path';
import { defaultDataDir } from '@tidegate/local';
import { helpText, OptionError, type OptionTable, readOptions, splitOperands } from '@tidegate/options';
import { withDatabase } from '../launch/with-database.ts';
import { processTerminal, Screen } from '../screen/screen.ts';
import { startBackupProgram } from './backup-program.ts';

export const table = {
  'data-dir': {
    type: 'string',
    default: defaultDataDir,
    value: 'DIR',
    help: 'the target; it may be running, stopped or new',
  },
  'postgres-url': { type: 'string', default: '', value: 'URL', help: 'restore into this database instead' },
  replace: { type: 'boolean', default: false, help: 'delete the present objects of the target' },
  'verify-only': { type: 'boolean', default: false, help: 'only verify the file, and restore nothing' },
} as const satisfies OptionTable;

const about = `tidegate restore FILE [option...]

Replaces the contents of a database by a backup, in one transaction; FILE - is standard input.
Exit code 3: restored, with objects that were corrupt when the backup was made.

${helpText(table)}
`;

export async function run(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help')) {
    process.stdout.write(about);
    return 0;
  }
  const { operands, flags } = splitOperands(table, argv);
  const { dataDir, postgresUrl, replace, verifyOnly } = readOptions(table, flags, process.env);
  const [file] = operands;
  if (file === undefined || operands.length > 1) throw new OptionError('name one file: tidegate restore FILE');
  const args = ['restore', `--file=${file === '-' ? file : resolve(file)}`];
  if (verifyOnly) return startBackupProgram([...args, '--verify-only'], '');
  if (replace) args.push('--replace');
  const screen = new Screen(processTerminal(process.env, process.stderr));
  return withDatabase({ dataDir, postgresUrl, create: true }, screen, (url) => startBackupProgram(args, url));
}
