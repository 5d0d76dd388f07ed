import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from '@tidegate/local';
import { booked } from '@tidegate/testkit';

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
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  return booked('the command line of tidegate', async () => {
    const code = await closed;
    return { ...said, code };
  });
}
