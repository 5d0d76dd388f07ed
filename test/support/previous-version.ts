import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '@tidegate/local';
import { whyNoClone } from './git.ts';

/** The version that this one replaces. Whoever publishes a version puts it here afterwards. */
const PREVIOUS = '5c2410dd178a85a73d9b0e899edefe9545e16bbf';

/** Why it cannot be had; undefined: it can. */
export function whyNoPreviousVersion(): string | undefined {
  const why = whyNoClone();
  if (why !== undefined) return why;
  try {
    execFileSync('git', ['cat-file', '-e', `${PREVIOUS}^{commit}`], { cwd: projectRoot, stdio: 'ignore' });
    return undefined;
  } catch {
    return `the history here does not reach back to ${PREVIOUS.slice(0, 7)}: clone without --depth`;
  }
}

/** A copy of it that runs. Its own dependencies are installed; nothing of this project is touched. */
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
