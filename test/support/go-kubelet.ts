import { type ChildProcess, spawn } from 'node:child_process';
import { programPath, whyNoProgram } from './cached-go-program.ts';

const KUBELET = { name: 'go-kubelet', modules: ['k8s.io/kubelet@v0.35.4'] };

/** Why the Go kubelet is not available, or undefined if it is. */
export function whyNoGoKubelet(): string | undefined {
  return whyNoProgram(KUBELET);
}

export interface GoKubelet {
  readonly port: number;
  stop(): void;
}

/** Starts the streaming server of real kubelets, for processes and ports of this machine. */
export async function startGoKubelet(certFile: string, keyFile: string): Promise<GoKubelet> {
  const child = spawn(programPath(KUBELET), ['-cert', certFile, '-key', keyFile], { stdio: ['pipe', 'pipe', 'pipe'] });
  const port = await firstLine(child);
  return { port: Number(port), stop: () => child.kill() };
}

/** The first line of the output. The log is reported only when the program does not start. */
function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    let errors = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('\n')) resolve(output.slice(0, output.indexOf('\n')));
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors = text;
    });
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`the Go kubelet exited with ${code}: ${errors}`)));
  });
}
