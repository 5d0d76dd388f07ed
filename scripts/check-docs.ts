import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deadFileNames, deadLinks, foreignTexts, missingReadmes, unexplainedDependencies } from './doc-rules.ts';
import type { SourceFile } from './import-rules.ts';
import { readWorkspaces } from './workspaces.ts';

/** Fails with one line for each violation of the rules in doc-rules.ts. */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const exists = (path: string): boolean => existsSync(join(root, path));

const files = trackedTextFiles();
const pages = files.filter(({ path }) => path.endsWith('.md'));
const workspaces = readWorkspaces(root);
const violations = [
  ...pages.flatMap((page) => deadLinks(page, exists)),
  ...withPage('docs/flow.md', (page) => deadFileNames(page, exists)),
  ...missingReadmes(workspaces, exists),
  ...withPage('docs/decisions/dependencies.md', (page) => unexplainedDependencies(page, workspaces)),
  ...files.flatMap(foreignTexts),
];

for (const line of violations) process.stderr.write(`${line}\n`);
if (violations.length === 0) process.stdout.write(`docs: ${pages.length} pages, no violation\n`);
process.exitCode = violations.length === 0 ? 0 : 1;

function withPage(path: string, check: (page: SourceFile) => string[]): string[] {
  const page = pages.find((candidate) => candidate.path === path);
  return page === undefined ? [`${path}: is missing`] : check(page);
}

/** The tracked text files. A deleted file is still listed until the deletion is committed. */
function trackedTextFiles(): SourceFile[] {
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' });
  return listed
    .split('\0')
    .filter((path) => path !== '' && exists(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
    .filter(({ text }) => !text.includes('\0'));
}
