import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

interface Input {
  readonly file: string;
  close(): void;
}

/** Opens a backup, which is read twice. Standard input is copied to a file first, which only its owner can read. */
export async function openInput(file: string): Promise<Input> {
  if (file !== '-') return { file, close() {} };
  const dir = mkdtempSync(join(tmpdir(), 'tidegate-restore-'));
  const close = (): void => rmSync(dir, { recursive: true, force: true });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      close();
      process.exit(130);
    });
  }
  const spooled = join(dir, 'standard-input');
  try {
    await pipeline(process.stdin, createWriteStream(spooled, { mode: 0o600 }));
  } catch (error) {
    close();
    throw error;
  }
  return { file: spooled, close };
}
