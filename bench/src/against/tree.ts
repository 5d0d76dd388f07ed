import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { cacheDir, PROGRAM_SOURCES, projectRoot } from '@tidegate/local';

/** The full hash of a commit; undefined where the clone does not have it, such as a shallow one. */
export function commitOf(name: string): string | undefined {
  try {
    return git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]).trim();
  } catch {
    // git exits with 1 and prints nothing: there is no such commit
    return undefined;
  }
}

/** The main file of the command line of a commit, in a folder of the project's cache. */
export function mainOf(commit: string, cache = cacheDir()): string {
  const tree = join(cache, 'against', commit);
  if (!existsSync(tree)) makeTree(tree, commit);
  return join(tree, PROGRAM_SOURCES.tidegate);
}

/** Makes the tree elsewhere and renames it, so that it is never incomplete. */
function makeTree(tree: string, commit: string): void {
  const fresh = `${tree}.${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  try {
    const archive = git(['archive', '--format=tar', commit], 'buffer');
    execFileSync('tar', ['-x', '-C', fresh], { input: archive });
    installIn(fresh);
    renameSync(fresh, tree);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function git(args: readonly string[]): string;
function git(args: readonly string[], encoding: 'buffer'): Buffer;
function git(args: readonly string[], encoding: 'utf8' | 'buffer' = 'utf8'): string | Buffer {
  return execFileSync('git', args, {
    cwd: projectRoot,
    encoding,
    maxBuffer: 2 ** 30,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

interface LockedPackage {
  readonly resolved?: string;
  readonly link?: true;
}
type Lock = Readonly<Record<string, LockedPackage>>;

/**
 * The packages of others are those of this checkout if both lock files name the same ones. The project's own packages
 * are links into the tree, else it would run the code of this checkout.
 */
function installIn(tree: string): void {
  const lock = lockOf(tree);
  if (JSON.stringify(foreign(lock)) !== JSON.stringify(foreign(lockOf(projectRoot)))) {
    // it installs what is missing before it does anything
    execFileSync(process.execPath, [join(tree, 'bin', 'tidegate.js'), 'version'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return;
  }
  const from = join(projectRoot, 'node_modules');
  const own = Object.entries(lock).filter(([, { link }]) => link === true);
  const scopes = new Set(own.map(([path]) => path.split('/')[1]));
  for (const name of readdirSync(from)) if (!scopes.has(name)) link(join(from, name), join(tree, 'node_modules', name));
  // relative, because the tree is renamed
  for (const [path, { resolved = '' }] of own) link(relative(dirname(path), resolved), join(tree, path));
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

function lockOf(tree: string): Lock {
  return (JSON.parse(readFileSync(join(tree, 'package-lock.json'), 'utf8')) as { packages: Lock }).packages;
}

function foreign(lock: Lock): Array<[string, LockedPackage]> {
  return Object.entries(lock).filter(([path, { link }]) => path.startsWith('node_modules/') && link !== true);
}
