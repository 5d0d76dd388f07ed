import { spawnSync } from 'node:child_process';
import { projectRoot } from '@tidegate/local';
import { needs } from '@tidegate/testkit';

/** undefined where Git is there, and the project is a clone. */
export function whyNoClone(): string | undefined {
  return spawnSync('git', ['rev-parse', 'HEAD'], { cwd: projectRoot }).status === 0 ? undefined : needs('git');
}
