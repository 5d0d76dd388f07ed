import { spawnSync } from 'node:child_process';
import { projectRoot } from '@tidegate/local';
import { needs } from '@tidegate/testkit';

/** undefined where Git is there, and the project is a clone. */
export function whyNoClone(): string | undefined {
  const { status, error } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: projectRoot });
  if (status === 0) return undefined;
  return needs('git', error === undefined ? 'this is no clone' : undefined);
}
