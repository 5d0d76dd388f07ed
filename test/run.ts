import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { run } from 'node:test';
import { fileURLToPath } from 'node:url';

/**
 * Runs every test of the project: those beside the sources, then those across services. With --long also the
 * `*.long.test.ts` files. With other arguments: only the files whose path contains one of them.
 * The last lines count what was skipped, with reasons, and what passed.
 */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const argv = process.argv.slice(2);
const long = argv.includes('--long');
const wanted = argv.filter((argument) => !argument.startsWith('--'));

const all = globSync(
  [
    'packages/*/src/**/*.test.ts',
    'services/*/src/**/*.test.ts',
    'bench/**/*.test.ts',
    'scripts/**/*.test.ts',
    'test/**/*.test.ts',
  ],
  { cwd: root },
)
  .filter((file) => !file.includes('node_modules') && (long || !file.endsWith('.long.test.ts')))
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort();
const pure = all.filter((file) => !/\.(pg|nats|e2e|long)\.test\.ts$/.test(file) && !file.startsWith('test/'));
const real = all.filter((file) => !pure.includes(file));

interface Count {
  passed: number;
  failed: number;
  skipped: string[];
}

const count: Count = { passed: 0, failed: 0, skipped: [] };

/** Files with servers of their own run one after another, so that their time limits mean something on a small machine. */
await runFiles(pure, availableParallelism());
await runFiles(real, 1);

for (const line of count.skipped) process.stdout.write(`skipped: ${line}\n`);
process.stdout.write(`${count.passed} passed, ${count.failed} failed, ${count.skipped.length} skipped\n`);
process.exit(count.failed === 0 && count.passed > 0 ? 0 : 1);

async function runFiles(files: readonly string[], concurrency: number): Promise<void> {
  if (files.length === 0) return;
  const started = new Map<string, number>();
  const timeout = long ? 3_600_000 : 180_000;
  // a file's process that does not end by itself is ended a little later than its tests
  process.env.TIDEGATE_TEST_LIMIT_MS = String(timeout + 10_000);
  const stream = run({
    files: files.map((file) => `${root}/${file}`),
    concurrency,
    timeout,
    execArgv: ['--import', `${root}/test/support/time-limit.ts`],
  });
  stream.on('test:dequeue', ({ name }) => started.set(name, Date.now()));
  stream.on('test:summary', ({ file, success }) => {
    if (file !== undefined) tellFile(file, Date.now() - (started.get(file) ?? Date.now()), success);
  });
  stream.on('test:pass', (test) => {
    if (isFile(test)) return;
    if (test.details.type === 'suite' && test.skip === undefined) return;
    if (test.skip !== undefined)
      count.skipped.push(`${test.name}: ${test.skip === true ? 'no reason given' : test.skip}`);
    else count.passed++;
  });
  stream.on('test:fail', (test) => {
    // a suite fails because of its tests, which are counted; alone it failed in its own hooks
    const { cause } = test.details.error as { cause?: unknown };
    if (test.details.type === 'suite' && /subtests? failed/.test(String(cause))) return;
    count.failed++;
    process.stdout.write(
      `FAILED ${test.file?.replace(`${root}/`, '') ?? ''}: ${test.name}\n${describe(cause ?? test.details.error)}\n`,
    );
  });
  stream.on('test:stderr', ({ message }) => process.stderr.write(message));
  for await (const _ of stream);
}

/** Node reports a file as a test around its tests; it counts only when it failed by itself. */
function isFile(test: { name: string; nesting: number; file?: string | undefined }): boolean {
  return test.nesting === 0 && test.name.endsWith('.ts') && test.name.includes('/');
}

function tellFile(name: string, ms: number, passed: boolean): void {
  const file = name.replace(`${root}/`, '');
  process.stdout.write(`${passed ? 'ok    ' : 'FAILED'} ${file} (${(ms / 1000).toFixed(1)} s)\n`);
}

function describe(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return text.replace(/^/gm, '    ');
}
