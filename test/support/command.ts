import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from '@tidegate/local';

export interface Said {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs `tidegate ARGS` to its end, as a person would. */
export function tidegateCommand(...args: string[]): Promise<Said> {
  const main = join(projectRoot, 'packages', 'local', 'src', 'main.ts');
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 });
  const said: Said = { code: null, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.stderr += text;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ ...said, code })));
}
