import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@tidegate/local';
import { buildGoProgram, CannotBuild } from './go-program.ts';

const VERSION = 'v0.35.4';

const BUILD_LIMIT_MS = 90_000;

/** Builds it where it is not in the cache; undefined once it is there. */
export function whyNoGoKubelet(): string | undefined {
  if (existsSync(cached())) return undefined;
  if (spawnSync('go', ['version']).status !== 0) {
    return 'needs Go 1.25 or newer, to build the streaming server of kubelets';
  }
  const main = readFileSync(source(), 'utf8');
  const modules = [`k8s.io/kubelet@${VERSION}`];
  try {
    buildGoProgram({ name: 'kubelet', main, modules, target: cached(), limitMs: BUILD_LIMIT_MS });
    return undefined;
  } catch (error) {
    if (!(error instanceof CannotBuild)) throw error;
    return `the streaming server of kubelets cannot be built now: ${error.message}`;
  }
}

export interface GoKubelet {
  readonly port: number;
  stop(): void;
}

/** The streaming server of real kubelets, in front of processes and ports of this machine. */
export async function startGoKubelet(certFile: string, keyFile: string): Promise<GoKubelet> {
  const child = spawn(cached(), ['-cert', certFile, '-key', keyFile], { stdio: ['pipe', 'pipe', 'pipe'] });
  const port = await firstLine(child);
  return { port: Number(port), stop: () => child.kill() };
}

function source(): string {
  return join(projectRoot, 'test', 'clients', 'go-kubelet', 'main.go');
}

/** Another source is another program. */
function cached(): string {
  const hash = createHash('sha256').update(readFileSync(source())).digest('hex').slice(0, 12);
  const cache = process.env.TIDEGATE_CACHE_DIR ?? join(projectRoot, '.cache');
  return join(cache, `go-kubelet-${VERSION}-${hash}`, 'go-kubelet');
}

/** What it logs of streams that end is told only when it does not start. */
function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    let complained = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('\n')) resolve(said.slice(0, said.indexOf('\n')));
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complained = text;
    });
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`the go kubelet ended with ${code}: ${complained}`)));
  });
}
