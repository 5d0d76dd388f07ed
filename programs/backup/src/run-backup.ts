import { readFileSync } from 'node:fs';
import type { Options } from '@tidegate/options';
import { backup } from './backup.ts';
import type { backupOptions } from './config.ts';
import { openOutput } from './file/output.ts';
import { megabytes, objectCount, print, reportCorrupt, seconds } from './messages.ts';
import { Progress } from './progress.ts';

export async function runBackup({ postgresUrl, out }: Options<typeof backupOptions>): Promise<number> {
  const startedAt = Date.now();
  const output = openOutput(out);
  const progress = new Progress('backing up');
  try {
    const { header, trailer } = await backup({
      url: postgresUrl,
      version: releaseVersion(),
      target: output.stream,
      onRows: (tally, { objects }) => progress.show(tally, objects),
    });
    output.keep();
    progress.clear();
    print(
      `backed up ${objectCount(trailer.objects)} (${megabytes(trailer.bytes)}) at revision ${header.revision} to ${out === '-' ? 'standard output' : out} (${megabytes(output.stream.bytesWritten)}) in ${seconds(startedAt)}`,
    );
    return reportCorrupt(trailer);
  } catch (error) {
    progress.clear();
    output.discard();
    throw error;
  }
}

function releaseVersion(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
