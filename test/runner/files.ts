import { globSync } from 'node:fs';

const PLACES = ['packages/*/src', 'services/*/src', 'bench', 'scripts', 'test'].map((dir) => `${dir}/**/*.test.ts`);

/** What a file of tests needs beside the code that it tests, by its name. */
type Needs = 'nothing' | 'servers' | 'long';

export interface TestFile {
  /** from the root of the project */
  readonly path: string;
  readonly needs: Needs;
}

interface Wanted {
  readonly root: string;
  readonly long: boolean;
  /** parts of paths; none: all files */
  readonly words: readonly string[];
}

export function findTests({ root, long, words }: Wanted): TestFile[] {
  return globSync(PLACES, { cwd: root, exclude: ['**/node_modules'] })
    .filter((path) => words.length === 0 || words.some((word) => path.includes(word)))
    .sort()
    .map((path) => ({ path, needs: needsOf(path) }))
    .filter(({ needs }) => long || needs !== 'long');
}

function needsOf(path: string): Needs {
  if (path.endsWith('.long.test.ts')) return 'long';
  return /\.(pg|nats|e2e)\.test\.ts$/.test(path) || path.startsWith('test/') ? 'servers' : 'nothing';
}
