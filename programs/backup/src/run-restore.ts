import { OptionError, type Options } from '@tidegate/options';
import type { restoreOptions } from './config.ts';
import { openInput } from './file/input.ts';
import { verifyBackup } from './file/read-backup.ts';
import { megabytes, objectCount, print, reportCorrupt, seconds } from './messages.ts';
import { Progress } from './progress.ts';
import { restore } from './restore.ts';

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
      print(
        `${options.file} is complete: ${objectCount(trailer.objects)} (${megabytes(trailer.bytes)}) at revision ${header.revision}, taken ${header.takenAt} by tidegate ${header.version}`,
      );
      for (const [resource, count] of Object.entries(trailer.resources))
        print(`  ${String(count).padStart(10)} ${resource}`);
      return reportCorrupt(trailer);
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
    print(
      `restored ${objectCount(trailer.objects)} (${megabytes(trailer.bytes)}) of revision ${header.revision}, taken ${header.takenAt}, in ${seconds(startedAt)}; the revision is now ${revision}`,
    );
    return reportCorrupt(trailer);
  } finally {
    progress.clear();
    input.close();
  }
}
