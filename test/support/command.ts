import { spawn } from 'node:child_process';
import { programFile, timed } from '@tidegate/testkit';

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs `tidegate ARGS` until it ends. */
export async function tidegateCommand(...args: string[]): Promise<CommandResult> {
  const child = spawn(process.execPath, [await programFile('tidegate'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  });
  const result: CommandResult = { code: null, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    result.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    result.stderr += text;
  });
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  return timed('the command line of tidegate', async () => {
    const code = await closed;
    return { ...result, code };
  });
}
