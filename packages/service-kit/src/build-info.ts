import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The commit and date of this build. */
export interface BuildInfo {
  /** empty if unknown */
  readonly commit: string;
  readonly treeState: 'clean' | 'dirty';
  /** the time of the build, or for a checkout the time of its commit */
  readonly date: string;
}

/** The file that a build writes; a checkout does not have it. */
export const BUILD_FILE = 'build.json';
const UNKNOWN: BuildInfo = { commit: '', treeState: 'clean', date: '1970-01-01T00:00:00Z' };

/** Reads the build file or, in a checkout, runs Git. Both may be missing. */
export async function buildInfo(root: string): Promise<BuildInfo> {
  try {
    return { ...UNKNOWN, ...(JSON.parse(await readFile(join(root, BUILD_FILE), 'utf8')) as Partial<BuildInfo>) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return ofCheckout(root);
  }
}

async function ofCheckout(root: string): Promise<BuildInfo> {
  try {
    const [top = ''] = await git(root, 'rev-parse', '--show-toplevel');
    // the package is installed inside another repository, whose commit says nothing about it
    if (top !== root) return UNKNOWN;
    const [commit = '', seconds = '0'] = (await git(root, 'log', '-1', '--format=%H %ct'))[0]?.split(' ') ?? [];
    const changes = await git(root, 'status', '--porcelain', '--untracked-files=no');
    const date = new Date(Number(seconds) * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
    return { commit, treeState: changes.length === 0 ? 'clean' : 'dirty', date };
  } catch (error) {
    // Git is not installed, or this is not a repository
    const { code } = error as { code?: unknown };
    if (code === 'ENOENT' || typeof code === 'number') return UNKNOWN;
    throw error;
  }
}

const run = promisify(execFile);

async function git(root: string, ...args: readonly string[]): Promise<string[]> {
  const { stdout } = await run('git', ['-C', root, ...args], { timeout: 5000 });
  return stdout.split('\n').filter((line) => line !== '');
}
