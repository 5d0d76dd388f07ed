import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { coverageOf } from './file-coverage.ts';
import { coveragePage } from './page.ts';
import { RunParts, readCoverage } from './v8-coverage.ts';

/**
 * `npm run coverage [-- ARGUMENT...]`: runs the tests, all of them or as the arguments of `npm test` say, and writes
 * into test/coverage.md what they have run of the sources. With `--add` first, what earlier runs have covered still
 * counts: for tests that are new, while the sources are the same.
 */
const [first, ...others] = process.argv.slice(2);
const adds = first === '--add';
const words = adds || first === undefined ? others : [first, ...others];
const root = dirname(dirname(import.meta.dirname));
const raw = join(process.env.TIDEGATE_CACHE_DIR ?? join(root, '.cache'), 'coverage');
const SOURCES = '{packages,programs,services}/*/src/**/*.ts';
/** Tests, and what only they use. */
const NOT_MEASURED = ['**/*.{test,bench,fixture}.ts', '**/testing/**', 'packages/testkit/**'];

if (!adds) rmSync(raw, { recursive: true, force: true });
mkdirSync(raw, { recursive: true });
const { status } = spawnSync(process.execPath, [join(root, 'test', 'run.ts'), ...words], {
  stdio: 'inherit',
  // functions that come from a cache are not counted exactly
  env: { ...process.env, NODE_V8_COVERAGE: raw, NODE_DISABLE_COMPILE_CACHE: '1' },
});

const paths = globSync(SOURCES, { cwd: root, exclude: NOT_MEASURED }).sort();
const sources = new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
const parts = new Map<string, RunParts>();
for (const script of readCoverage(raw)) {
  const path = script.url.startsWith('file:') ? fileURLToPath(script.url).slice(root.length + 1) : '';
  const source = sources.get(path);
  if (source === undefined) continue;
  const known = parts.get(path) ?? new RunParts(source.length);
  known.add(script);
  parts.set(path, known);
}
const files = paths.map((path) => coverageOf(path, sources.get(path) as string, parts.get(path)));
writeFileSync(join(root, 'test', 'coverage.md'), coveragePage(files, 'npm run coverage'));
process.exitCode = status ?? 1;
