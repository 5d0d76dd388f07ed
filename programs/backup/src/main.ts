import { OptionError, readOptions } from '@tidegate/options';
import { backupOptions, restoreOptions } from './config.ts';
import { BackupError } from './file/backup-error.ts';
import { runBackup } from './run-backup.ts';
import { runRestore } from './run-restore.ts';

/** The program behind `tidegate backup` and `tidegate restore`. Exit code 3: done, but some objects are corrupt. */
async function main([command, ...argv]: readonly string[]): Promise<number> {
  if (command === 'backup') return runBackup(readOptions(backupOptions, argv, process.env));
  if (command === 'restore') return runRestore(readOptions(restoreOptions, argv, process.env));
  throw new OptionError('the first argument must be backup or restore');
}

try {
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  const known =
    error instanceof BackupError || error instanceof OptionError || (error instanceof Error && 'code' in error);
  process.stderr.write(`tidegate: ${known ? error.message : (error as Error).stack}\n`);
  process.exit(error instanceof OptionError ? 2 : 1);
}
