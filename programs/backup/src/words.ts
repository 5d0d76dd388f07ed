import type { Trailer } from './heading.ts';

/** Standard output may be the backup itself, so all words go to the other stream. */
export function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Names what was corrupt before; answers the exit code. */
export function corruptWords({ corruptCount, corrupt }: Trailer): number {
  if (corruptCount === 0) return 0;
  tell(`${objectsWords(corruptCount)} did not fit their checksums in the database, and were copied as they are:`);
  for (const path of corrupt) tell(`  ${path}`);
  if (corruptCount > corrupt.length) tell(`  and ${corruptCount - corrupt.length} more`);
  return 3;
}

export function objectsWords(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'object' : 'objects'}`;
}

export function megabytes(bytes: number): string {
  return bytes < 1 << 20 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

export function seconds(since: number, now: number = Date.now()): string {
  return `${((now - since) / 1000).toFixed(1)} s`;
}
