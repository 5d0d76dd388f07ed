import { type ChildProcess, spawn } from 'node:child_process';
import { programAt, whyNoProgram } from './cached-go-program.ts';

const KUBELET = { name: 'go-kubelet', modules: ['k8s.io/kubelet@v0.35.4'] };

/** undefined where it can be had. */
export function whyNoGoKubelet(): string | undefined {
  return whyNoProgram(KUBELET);
}

export interface GoKubelet {
  readonly port: number;
  stop(): void;
}

/** The streaming server of real kubelets, in front of processes and ports of this machine. */
export async function startGoKubelet(certFile: string, keyFile: string): Promise<GoKubelet> {
  const child = spawn(programAt(KUBELET), ['-cert', certFile, '-key', keyFile], { stdio: ['pipe', 'pipe', 'pipe'] });
  const port = await firstLine(child);
  return { port: Number(port), stop: () => child.kill() };
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
