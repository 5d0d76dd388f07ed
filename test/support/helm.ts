import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@tidegate/local';
import { buildGoProgram, CannotBuild } from './go-program.ts';

const VERSION = 'v3.22.0';
const PROGRAM = 'helm.sh/helm/v3/cmd/helm';
export const helm = join(process.env.TIDEGATE_CACHE_DIR ?? join(projectRoot, '.cache'), `helm-${VERSION}`, 'helm');

/** Builds Helm 3 from its published modules where it is not in the project's cache; undefined once it is there. */
export function whyNoHelm(): string | undefined {
  if (existsSync(helm)) return undefined;
  if (spawnSync('go', ['version']).status !== 0) return 'needs Go 1.25 or newer, to build helm';
  const main = 'package main\n\nfunc main() {}\n';
  try {
    buildGoProgram({ name: 'helm', main, modules: [`${PROGRAM}@${VERSION}`], target: helm, published: PROGRAM });
    return undefined;
  } catch (error) {
    if (!(error instanceof CannotBuild)) throw error;
    return `helm cannot be built now: ${error.message}`;
  }
}
