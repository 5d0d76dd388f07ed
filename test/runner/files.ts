import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PLACES = ['packages/*/src', 'programs/*/src', 'services/*/src', 'bench', 'scripts', 'test'].map(
  (dir) => `${dir}/**/*.test.ts`,
);

/** What a test file needs besides the code that it tests, in the order in which files run. */
const NEEDS = ['a shared system', 'servers', 'nothing', 'long'] as const;
type Needs = (typeof NEEDS)[number];

export interface TestFile {
  /** the absolute path */
  readonly file: string;
  readonly needs: Needs;
  /** identifies the system that it shares with other files, by the source text of its options */
  readonly system: string | undefined;
}

interface Wanted {
  readonly root: string;
  readonly long: boolean;
  /** parts of paths; none: all files */
  readonly words: readonly string[];
}

/** Slow files come first; the many small files fill the remaining time at the end. */
export function findTests({ root, long, words }: Wanted): TestFile[] {
  return globSync(PLACES, { cwd: root, exclude: ['**/node_modules'] })
    .filter((path) => words.length === 0 || words.some((word) => isNamed(path, word)))
    .sort()
    .map((path) => testFile(root, path))
    .filter(({ needs }) => long || needs !== 'long')
    .sort((a, b) => NEEDS.indexOf(a.needs) - NEEDS.indexOf(b.needs));
}

/** A word may leave out `src/`: `store/storage/reads`. */
function isNamed(path: string, word: string): boolean {
  return path.includes(word) || path.replace('/src/', '/').includes(word);
}

/** Security tests open a stage, which is a shared system with data to protect. */
const SHARES = /\b(?:sharedSystem|Stage\.open)\((.*?)\)/;

function testFile(root: string, path: string): TestFile {
  const file = join(root, path);
  const needs = needsOf(path);
  const system = path.startsWith('test/') ? SHARES.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
  return { file, needs: needs === 'servers' && system !== undefined ? 'a shared system' : needs, system };
}

function needsOf(path: string): Needs {
  if (path.endsWith('.long.test.ts')) return 'long';
  return /\.(pg|nats|e2e)\.test\.ts$/.test(path) || path.startsWith('test/') ? 'servers' : 'nothing';
}
