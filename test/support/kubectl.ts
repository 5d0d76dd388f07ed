import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '@tidegate/local';

const VERSION = 'v0.35.4';
const cached = join(process.env.TIDEGATE_CACHE_DIR ?? join(projectRoot, '.cache'), `kubectl-${VERSION}`, 'kubectl');

/** A real kubectl: the one on the path, else one built from its published Go modules into the project's cache. */
export function findKubectl(): string {
  const onPath = spawnSync('kubectl', ['version', '--client'], { encoding: 'utf8' });
  if (onPath.status === 0) return 'kubectl';
  if (!existsSync(cached)) buildKubectl(cached);
  return cached;
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
  const how = 'install kubectl, or Go 1.25 or newer so that the test can build it';
  const dir = mkdtempSync(join(tmpdir(), 'tidegate-kubectl-'));
  try {
    writeFileSync(join(dir, 'main.go'), MAIN);
    const env = { ...process.env, GOFLAGS: '-mod=mod', CGO_ENABLED: '0', GOWORK: 'off' };
    const steps = [
      ['mod', 'init', 'tidegate/kubectl'],
      ['get', `k8s.io/kubectl@${VERSION}`, `k8s.io/component-base@${VERSION}`],
      ['build', '-trimpath', '-ldflags', '-s -w', '-o', target, '.'],
    ];
    mkdirSync(join(target, '..'), { recursive: true });
    for (const step of steps) {
      const { status, error, stderr } = spawnSync('go', step, { cwd: dir, env, encoding: 'utf8' });
      if (status !== 0)
        throw new Error(
          `there is no kubectl on the path, and go ${step[0]} failed: ${how}\n${error?.message ?? stderr}`,
        );
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

export interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs kubectl as a person would, with a time limit. */
export function kubectl(kubeconfig: string, args: readonly string[], env: Record<string, string> = {}): Promise<Run> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, KUBECONFIG: kubeconfig, ...env }, timeout: 30_000 };
    execFile(findKubectl(), [...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, stdout, stderr });
    });
  });
}
