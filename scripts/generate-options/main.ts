import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pageOf } from './page.ts';
import { readSections, readVariableOf } from './tables.ts';

/**
 * Writes docs/operate/options.md from the option tables of the services and commands. With --check it writes nothing,
 * and fails if the page is not up to date.
 */
const root = join(import.meta.dirname, '../..');
const place = 'docs/operate/options.md';
const page = pageOf({ sections: await readSections(root), variableOf: await readVariableOf(root) });
const file = join(root, place);

if (!process.argv.includes('--check')) writeFileSync(file, page);
else if (!existsSync(file) || readFileSync(file, 'utf8') !== page) {
  process.stderr.write(`${place} differs from the option tables: run npm run generate:options.\n`);
  process.exitCode = 1;
}
