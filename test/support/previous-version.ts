import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '@tidegate/local';
import { whyNoClone } from './git.ts';

/** The commit of the last published version; update it after each release. */
const PREVIOUS = '5c2410dd178a85a73d9b0e899edefe9545e16bbf';

/** Why the previous version is not available, or undefined if it is. */
export function whyNoPreviousVersion(): string | undefined {
  const why = whyNoClone();
  if (why !== undefined) return why;
  try {
    execFileSync('git', ['cat-file', '-e', `${PREVIOUS}^{commit}`], { cwd: projectRoot, stdio: 'ignore' });
    return undefined;
  } catch {
    return `the Git history does not contain ${PREVIOUS.slice(0, 7)}: clone without --depth`;
  }
}

/** Extracts the previous version into a temporary folder and installs its dependencies there. */
export async function previousVersion(): Promise<{ root: string; remove: () => void }> {
  const root = mkdtempSync(join(tmpdir(), 'tidegate-previous-'));
  const run = promisify(execFile);
  const archive = `${root}.tar`;
  await run('git', ['archive', '--output', archive, PREVIOUS], { cwd: projectRoot });
  await run('tar', ['-x', '-f', archive, '-C', root]);
  rmSync(archive);
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: root });
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}
