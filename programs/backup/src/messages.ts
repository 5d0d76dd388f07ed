import type { Trailer } from './file/header.ts';

/** Prints to standard error, because standard output may be the backup itself. */
export function print(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Prints the corrupt objects. Returns the exit code. */
export function reportCorrupt({ corruptCount, corrupt }: Trailer): number {
  if (corruptCount === 0) return 0;
  print(`${objectCount(corruptCount)} failed their checksums in the database, and were copied unchanged:`);
  for (const path of corrupt) print(`  ${path}`);
  if (corruptCount > corrupt.length) print(`  and ${corruptCount - corrupt.length} more`);
  return 3;
}

export function objectCount(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'object' : 'objects'}`;
}

export function megabytes(bytes: number): string {
  return bytes < 1 << 20 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

export function seconds(since: number, now: number = Date.now()): string {
  return `${((now - since) / 1000).toFixed(1)} s`;
}
