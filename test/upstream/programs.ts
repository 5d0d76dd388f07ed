import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { projectRoot } from '@tidegate/local';
import { needs } from '@tidegate/testkit';
import { goModule } from '../support/go-module.ts';
import { buildGoProgram, CannotBuild, inGoModule } from '../support/go-program.ts';

const RELEASE = '1.35.4';
/** Version of the modules that are published beside k8s.io/kubernetes. */
const STAGING = `v0.${RELEASE.slice(2)}`;
/** Version of Ginkgo that e2e.test is compiled with. */
const GINKGO = '2.27.2';
const BUILD_LIMIT_MS = 30 * 60_000;

export type ProgramName = 'kubectl' | 'kube-controller-manager' | 'e2e.test' | 'ginkgo';

interface Program {
  /** prints the version */
  readonly ask: readonly string[];
  readonly version: string;
  readonly build: (target: string) => void;
}

const programs: Readonly<Record<ProgramName, Program>> = {
  kubectl: {
    ask: ['version', '--client'],
    version: `v${RELEASE}`,
    build: (target) => buildKubernetes(target, ['build'], 'cmd/kubectl'),
  },
  'kube-controller-manager': {
    ask: ['--version'],
    version: `v${RELEASE}`,
    build: (target) => buildKubernetes(target, ['build'], 'cmd/kube-controller-manager'),
  },
  'e2e.test': {
    ask: ['--version'],
    version: `v${RELEASE}`,
    build: (target) => buildKubernetes(target, ['test', '-c'], 'test/e2e'),
  },
  ginkgo: { ask: ['version'], version: GINKGO, build: buildGinkgo },
};

export type Programs<Name extends ProgramName> = { readonly [name in Name]: string };

/**
 * Programs of one Kubernetes release: those on the path when they have its version, else built from the published
 * modules into the project's cache. `why` says why they cannot be had.
 */
export function upstreamPrograms<Name extends ProgramName>(...names: Name[]): Programs<Name> | { why: string } {
  const found: Array<[Name, string]> = [];
  for (const name of names) {
    const { ask, version, build } = programs[name];
    const installed = onPath(name);
    if (installed !== undefined && spawnSync(installed, ask, { encoding: 'utf8' }).stdout?.includes(version)) {
      found.push([name, installed]);
      continue;
    }
    const target = join(cacheOf(version), name);
    const why = existsSync(target) ? undefined : whyNotBuilt(name, target, build);
    if (why !== undefined) return { why };
    found.push([name, target]);
  }
  return Object.fromEntries(found) as Programs<Name>;
}

/** Where the files of Kubernetes' module are. */
export function kubernetesModule(): string {
  return goModule(`k8s.io/kubernetes@v${RELEASE}`);
}

/** The whole path: some of the programs are told where others are. */
function onPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => resolve(folder, name)).find((file) => existsSync(file));
}

function cacheOf(version: string): string {
  return join(process.env.TIDEGATE_CACHE_DIR ?? join(projectRoot, '.cache'), `upstream-${version}`);
}

/** A build that was interrupted leaves no program behind: the last step is a rename. */
function whyNotBuilt(name: string, target: string, build: Program['build']): string | undefined {
  if (spawnSync('go', ['version']).status !== 0) return needs('go');
  try {
    build(`${target}.new`);
    renameSync(`${target}.new`, target);
    return undefined;
  } catch (error) {
    if (!(error instanceof CannotBuild)) throw error;
    return `${name} cannot be built now: ${error.message}`;
  }
}

function buildGinkgo(target: string): void {
  const published = 'github.com/onsi/ginkgo/v2/ginkgo';
  const main = 'package main\n\nfunc main() {}\n';
  buildGoProgram({ name: 'ginkgo', main, modules: [`${published}@v${GINKGO}`], target, published });
}

/** Kubernetes' go.mod names its staging modules by folders that are not published: releases of them take their place. */
function buildKubernetes(target: string, command: readonly string[], path: string): void {
  const module = kubernetesModule();
  const required = readFileSync(join(module, 'go.mod'), 'utf8')
    .replace(/^module .*$/m, 'module tidegate/upstream')
    .replaceAll(/(k8s\.io\/[a-z0-9-]+) => \.\/staging\/\S+/g, `$1 => $1 ${STAGING}`);
  const files = {
    'go.mod': `${required}\nrequire k8s.io/kubernetes v${RELEASE}\n`,
    'go.sum': readFileSync(join(module, 'go.sum'), 'utf8'),
  };
  const name = `k8s.io/kubernetes/${path}`;
  inGoModule('upstream', files, (go) => {
    // fetches what the program needs: without the network it fails before the build
    go(['list', '-deps', ...(command[0] === 'test' ? ['-test'] : []), name], BUILD_LIMIT_MS);
    go([...command, '-trimpath', '-ldflags', linkerFlags(), '-o', target, name], BUILD_LIMIT_MS);
  });
}

/** A program that was not told its version calls itself v0.0.0, which some of the tests refuse. */
function linkerFlags(): string {
  const [major, minor] = RELEASE.split('.');
  const facts = {
    gitVersion: `v${RELEASE}`,
    gitMajor: major,
    gitMinor: minor,
    gitTreeState: 'clean',
    gitCommit: 'unknown',
    buildDate: '1970-01-01T00:00:00Z',
  };
  const packages = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'];
  const sets = packages.flatMap((name) => Object.entries(facts).map(([key, value]) => `-X ${name}.${key}=${value}`));
  return ['-s', '-w', ...sets].join(' ');
}
