import { spawn } from 'node:child_process';
import { booked, programFile } from '@tidegate/testkit';

export interface Said {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs `tidegate ARGS` to its end, as a person would. */
export async function tidegateCommand(...args: string[]): Promise<Said> {
  const child = spawn(process.execPath, [await programFile('tidegate'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  });
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
