import { OptionError, type Options } from '@tidegate/options';
import type { restoreOptions } from './config.ts';
import { openInput } from './input.ts';
import { Progress } from './progress.ts';
import { verifyBackup } from './read-backup.ts';
import { restore } from './restore.ts';
import { corruptWords, megabytes, objectsWords, seconds, tell } from './words.ts';

export async function runRestore(options: Options<typeof restoreOptions>): Promise<number> {
  const { postgresUrl: url, replace, verifyOnly } = options;
  if (url === '' && !verifyOnly) throw new OptionError('--postgres-url is required');
  const startedAt = Date.now();
  const input = await openInput(options.file);
  let progress = new Progress('verifying');
  const verified: Parameters<typeof verifyBackup>[1] = (tally, { objects }) => progress.show(tally, objects);
  try {
    if (verifyOnly) {
      const { header, trailer } = await verifyBackup(input.file, verified);
      progress.clear();
      tell(
        `${options.file} is whole: ${objectsWords(trailer.objects)} (${megabytes(trailer.bytes)}) at revision ${header.revision}, taken ${header.takenAt} by tidegate ${header.version}`,
      );
      for (const [resource, count] of Object.entries(trailer.resources))
        tell(`  ${String(count).padStart(10)} ${resource}`);
      return corruptWords(trailer);
    }
    const restoring = new Progress('restoring');
    const { header, trailer, revision } = await restore({
      url,
      file: input.file,
      replace,
      onVerified: verified,
      onRows: (tally, { objects }) => {
        progress.clear();
        progress = restoring;
        progress.show(tally, objects);
      },
    });
    progress.clear();
    tell(
      `restored ${objectsWords(trailer.objects)} (${megabytes(trailer.bytes)}) of revision ${header.revision}, taken ${header.takenAt}, in ${seconds(startedAt)}; the revision is now ${revision}`,
    );
    return corruptWords(trailer);
  } finally {
    progress.clear();
    input.close();
  }
}
