import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { swallowedErrors } from './catch-rules.ts';
import { circleViolations } from './circle-rules.ts';
import { importViolations } from './import-rules.ts';
import { roomViolations } from './room-rules.ts';
import { readWorkspaces } from './workspaces.ts';

/**
 * Fails with one line for each import that the layout forbids, for each circle of files, and for each error that is
 * swallowed without a comment. The rules are in import-rules.ts, room-rules.ts, circle-rules.ts and catch-rules.ts.
 */
const root = dirname(dirname(fileURLToPath(import.meta.url)));

const paths = globSync('{packages,programs,services,test,bench,scripts}/**/*.ts', {
  cwd: root,
  exclude: ['**/node_modules'],
});
const files = paths.sort().map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
const violations = [
  ...importViolations(files, readWorkspaces(root)),
  ...circleViolations(files),
  ...roomViolations(files),
  ...swallowedErrors(files),
];

for (const line of violations) process.stderr.write(`${line}\n`);
if (violations.length === 0) process.stdout.write(`imports and catches: ${files.length} files, no violation\n`);
process.exitCode = violations.length === 0 ? 0 : 1;
