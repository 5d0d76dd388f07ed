import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Figures, figuresOf } from './figures.ts';

/** `npm run structure`: prints figures about the structure of every service, package and program. */
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

for (const folder of globSync('{services,packages,programs}/*/src', { cwd: root }).sort()) {
  const paths = globSync('**/*.ts', { cwd: join(root, folder), exclude: ['**/node_modules'] }).sort();
  const sources = paths.map((path) => ({ path, text: readFileSync(join(root, folder, path), 'utf8') }));
  process.stdout.write(`${text(folder, figuresOf(sources))}\n`);
}

function text(folder: string, { files, lines, medianLines, largest, tiny, rooms }: Figures): string {
  const large = [...rooms].filter(([, count]) => count > 15).map(([room, count]) => `${room} (${count})`);
  return [
    `${dirname(folder)}: ${files} files, ${lines} lines, median ${medianLines}`,
    `largest ${largest.path} (${largest.lines})`,
    `${tiny.length} below 20 lines`,
    `rooms of more than 15 files: ${large.join(', ') || 'none'}`,
  ].join('; ');
}
