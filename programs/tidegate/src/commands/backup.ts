import { resolve } from 'node:path';
import { defaultDataDir } from '@tidegate/local';
import { helpText, type OptionTable, readOptions } from '@tidegate/options';
import { withDatabase } from '../launch/with-database.ts';
import { processTerminal, Screen } from '../screen/screen.ts';
import { startBackupProgram } from './backup-program.ts';

export const table = {
  out: {
    type: 'string',
    required: true,
    value: 'FILE',
    help: 'the file to write, which must not exist; - is standard output',
  },
  'data-dir': {
    type: 'string',
    default: defaultDataDir,
    value: 'DIR',
    help: 'the source; it may be running or stopped',
  },
  'postgres-url': { type: 'string', default: '', value: 'URL', help: 'back up this database instead' },
} as const satisfies OptionTable;

const about = `tidegate backup --out FILE [option...]

Writes all objects as of one revision to a file, also while the system runs.
Exit code 3: the file is complete, and lists objects that were corrupt in the database already.

${helpText(table)}
`;

export async function run(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help')) {
    process.stdout.write(about);
    return 0;
  }
  const { out, dataDir, postgresUrl } = readOptions(table, argv, process.env);
  const file = out === '-' ? out : resolve(out);
  const screen = new Screen(processTerminal(process.env, process.stderr));
  return withDatabase({ dataDir, postgresUrl, create: false }, screen, (url) =>
    startBackupProgram(['backup', `--out=${file}`], url),
  );
}
