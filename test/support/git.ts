import { spawnSync } from 'node:child_process';
import { projectRoot } from '@tidegate/local';
import { needs } from '@tidegate/testkit';

/** Why the project's Git history is not available, or undefined if it is. */
export function whyNoClone(): string | undefined {
  const { status, error } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: projectRoot });
  if (status === 0) return undefined;
  return needs('git', error === undefined ? 'the project is not a Git clone' : undefined);
}
