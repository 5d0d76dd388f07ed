import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@tidegate/local';
import { needs, timed } from '@tidegate/testkit';
import { buildGoProgram, CannotBuild } from './go-program.ts';

const VERSION = 'v0.35.4';
const cached = join(process.env.TIDEGATE_CACHE_DIR ?? join(projectRoot, '.cache'), `kubectl-${VERSION}`, 'kubectl');

type Found = { readonly program: string } | { readonly why: string };

let found: Found | undefined;

/** Finds kubectl on the path, or builds it from its published Go modules into the project's cache. */
export function findKubectl(): string {
  const result = lookup();
  if ('why' in result) throw new Error(`this test ${result.why}`);
  return result.program;
}

/** Why kubectl is not available, or undefined if it is. */
export function whyNoKubectl(): string | undefined {
  const result = lookup();
  return 'why' in result ? result.why : undefined;
}

function lookup(): Found {
  found ??= locateKubectl();
  return found;
}

function locateKubectl(): Found {
  if (spawnSync('kubectl', ['version', '--client']).status === 0) return { program: 'kubectl' };
  if (existsSync(cached)) return { program: cached };
  if (spawnSync('go', ['version']).status !== 0) return { why: needs('kubectl') };
  try {
    buildKubectl(cached);
    return { program: cached };
  } catch (error) {
    if (!(error instanceof CannotBuild)) throw error;
    return { why: needs('kubectl', error.message) };
  }
}

const MAIN = `package main

import (
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
)

func main() {
	if err := cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()); err != nil {
		util.CheckErr(err)
	}
}
`;

export function buildKubectl(target: string): void {
  const modules = [`k8s.io/kubectl@${VERSION}`, `k8s.io/component-base@${VERSION}`];
  buildGoProgram({ name: 'kubectl', main: MAIN, modules, target });
}

export interface KubectlResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs kubectl with a time limit; `input` is its standard input. */
export function kubectl(
  kubeconfig: string,
  args: readonly string[],
  env: Record<string, string> = {},
  input?: string,
): Promise<KubectlResult> {
  return timed('kubectl', () => run(kubeconfig, args, env, input));
}

function run(
  kubeconfig: string,
  args: readonly string[],
  env: Record<string, string>,
  input: string | undefined,
): Promise<KubectlResult> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, KUBECONFIG: kubeconfig, ...env }, timeout: 30_000, maxBuffer: 64 << 20 };
    const child = execFile(findKubectl(), [...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, stdout, stderr });
    });
    if (input !== undefined) child.stdin?.end(input);
  });
}
