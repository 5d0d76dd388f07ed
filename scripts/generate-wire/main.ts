import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filesIn, generateTypes } from './generate.ts';
import { staleFiles } from './stale-files.ts';

/**
 * Generates packages/wire/src/generated from proto/. With --check it writes nothing, and fails with one line for each
 * file that is not up to date.
 */
const root = join(import.meta.dirname, '../..');
const place = 'packages/wire/src/generated';
if (process.argv.includes('--check')) check();
else write();

function write(): void {
  rmSync(join(root, place), { recursive: true, force: true });
  generateTypes(root, join(root, place));
}

function check(): void {
  const directory = mkdtempSync(join(tmpdir(), 'generate-wire-'));
  try {
    generateTypes(root, directory);
    const lines = staleFiles(filesIn(join(root, place)), filesIn(directory));
    for (const line of lines) process.stderr.write(`${place}/${line}\n`);
    if (lines.length > 0)
      process.stderr.write('The types of messages are not up to date: run npm run generate:wire.\n');
    process.exitCode = lines.length === 0 ? 0 : 1;
  } finally {
    rmSync(directory, { recursive: true });
  }
}
