import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { BUILD_FILE, buildInfo } from '@tidegate/service-kit';
import { type Needed, neededBy } from './contents.ts';

/**
 * Builds the contents of the image into a directory: the services and programs as JavaScript, the files that they read,
 * and the packages that they need, without anything for development or tests.
 *
 *     node bin/run.js programs/image/build/main.ts DIR
 */
const root = join(import.meta.dirname, '../../..');
const [out = ''] = process.argv.slice(2);
if (out === '') throw new Error('usage: programs/image/build/main.ts DIR');
if (existsSync(out) && readdirSync(out).length > 0) throw new Error(`${out} is not empty: name a new directory`);

const WORKSPACES = [
  ...['gateway', 'store', 'watch', 'health'].map((part) => `services/${part}`),
  'programs/image',
  'programs/backup',
];
/** files that are read at run time, beside code */
const DATA = ['facts', 'src/migrations', 'src/sql', 'src/board'];
/** of foreign packages, licences stay and files that Node never reads are left out */
const LICENCE = /(^|\/)(licen[cs]e|notice|copying)[^/]*$/i;
const NEVER_READ = /\.(ts|mts|cts|map|md|markdown|flow)$|(^|\/)(test|tests|__tests__|docs|example|examples|\.github)$/;

const needed = neededBy(root, WORKSPACES);
compile();
for (const one of needed) (one.isOurs ? copyOwn : copyForeign)(one);
cpSync(join(root, 'proto'), join(out, 'proto'), { recursive: true });
for (const file of ['LICENSE', 'package.json']) cpSync(join(root, file), join(out, file));
await writeBuildInfo();

/** Writes the commit and the date of the build into the image, from the environment or from Git. */
async function writeBuildInfo(): Promise<void> {
  const { COMMIT = '', BUILD_DATE = '' } = process.env;
  const known = await buildInfo(root);
  const commit = COMMIT === '' ? known.commit : COMMIT;
  const date = BUILD_DATE === '' ? known.date : BUILD_DATE;
  writeFileSync(join(out, BUILD_FILE), `${JSON.stringify({ ...known, commit, date })}\n`);
}

/** Compiles everything, and removes the packages that the image does not need. */
function compile(): void {
  mkdirSync(out, { recursive: true });
  const tsc = join(root, 'node_modules/.bin/tsc');
  execFileSync(tsc, ['-p', join(root, 'programs/image/build/tsconfig.json'), '--outDir', out], { stdio: 'inherit' });
  const ours = new Set(needed.filter(({ isOurs }) => isOurs).map(({ dir }) => dir));
  for (const folder of ['packages', 'programs', 'services']) {
    for (const name of readdirSync(join(out, folder))) {
      if (!ours.has(`${folder}/${name}`)) rmSync(join(out, folder, name), { recursive: true });
    }
  }
}

function copyOwn({ dir }: Needed): void {
  const manifest = JSON.parse(readFileSync(join(root, dir, 'package.json'), 'utf8')) as {
    name: string;
    exports?: Record<string, string>;
    devDependencies?: unknown;
  };
  const entries = Object.entries(manifest.exports ?? {}).filter(([, file]) => !file.includes('/testing/'));
  const exports = Object.fromEntries(entries.map(([name, file]) => [name, file.replace(/\.ts$/, '.js')]));
  const { devDependencies: _, ...rest } = manifest;
  writeFileSync(join(out, dir, 'package.json'), `${JSON.stringify({ ...rest, exports }, null, 2)}\n`);
  for (const data of DATA) {
    const from = join(root, dir, data);
    const filter = (path: string) => !path.endsWith('.ts');
    if (existsSync(from)) cpSync(from, join(out, dir, data), { recursive: true, filter });
  }
  const link = join(out, 'node_modules', manifest.name);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(relative(dirname(link), join(out, dir)), link);
}

function copyForeign({ dir }: Needed): void {
  const from = join(root, dir);
  cpSync(from, join(out, dir), {
    recursive: true,
    // nested packages are copied separately, where they are needed
    filter: (path) =>
      path === from || LICENCE.test(path) || !(basename(path) === 'node_modules' || NEVER_READ.test(path)),
  });
}
