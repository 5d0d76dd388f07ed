import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@tidegate/local';
import { needs } from '@tidegate/testkit';
import { buildGoProgram, CannotBuild } from './go-program.ts';

const VERSION = 'v3.22.0';
const PROGRAM = 'helm.sh/helm/v3/cmd/helm';
/** It takes 160 s of CPU time. A build that takes longer is continued by the next test that needs Helm. */
const BUILD_LIMIT_MS = 240_000;
const cached = join(process.env.TIDEGATE_CACHE_DIR ?? join(projectRoot, '.cache'), `helm-${VERSION}`, 'helm');
// older versions have other error messages
const version = spawnSync('helm', ['version', '--short'], { encoding: 'utf8' }).stdout ?? '';
const isOnPath = Number(/^v3\.(\d+)/.exec(version)?.[1]) >= Number(VERSION.split('.')[1]);
export const helm = isOnPath ? 'helm' : cached;

let result: { why: string | undefined } | undefined;

/**
 * Why Helm 3 is not available, or undefined if it is. Builds it from its published modules if it is neither on the path
 * nor cached; tries that once in each process.
 */
export function whyNoHelm(): string | undefined {
  result ??= { why: build() };
  return result.why;
}

function build(): string | undefined {
  if (isOnPath || existsSync(cached)) return undefined;
  if (spawnSync('go', ['version']).status !== 0) return needs('helm');
  const main = 'package main\n\nfunc main() {}\n';
  try {
    const modules = [`${PROGRAM}@${VERSION}`];
    buildGoProgram({ name: 'helm', main, modules, target: cached, published: PROGRAM, limitMs: BUILD_LIMIT_MS });
    return undefined;
  } catch (error) {
    if (!(error instanceof CannotBuild)) throw error;
    return needs('helm', error.message);
  }
}
