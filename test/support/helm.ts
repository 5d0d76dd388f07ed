import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@tidegate/local';
import { needs } from '@tidegate/testkit';
import { buildGoProgram, CannotBuild } from './go-program.ts';

const VERSION = 'v3.22.0';
const PROGRAM = 'helm.sh/helm/v3/cmd/helm';
/** A build that takes longer goes on in the next test that asks. */
const BUILD_LIMIT_MS = 100_000;
const cached = join(process.env.TIDEGATE_CACHE_DIR ?? join(projectRoot, '.cache'), `helm-${VERSION}`, 'helm');
// older ones tell mistakes in other words
const said = spawnSync('helm', ['version', '--short'], { encoding: 'utf8' }).stdout ?? '';
const isOnPath = Number(/^v3\.(\d+)/.exec(said)?.[1]) >= Number(VERSION.split('.')[1]);
export const helm = isOnPath ? 'helm' : cached;

let told: { why: string | undefined } | undefined;

/**
 * Builds Helm 3 from its published modules where it is neither on the path nor cached; undefined once it is there. It is
 * tried once in a process.
 */
export function whyNoHelm(): string | undefined {
  told ??= { why: build() };
  return told.why;
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
