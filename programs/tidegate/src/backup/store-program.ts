import { spawn } from 'node:child_process';
import { programFile, Trouble } from '@tidegate/local';
import { listenForStop } from '../launch/stop-signals.ts';

/**
 * Runs the store's own program for backups on this terminal, and answers its exit code. The URL has a password, so it
 * travels in the environment.
 */
export function runStoreProgram(args: readonly string[], postgresUrl: string): Promise<number> {
  const child = spawn(process.execPath, [programFile('backup'), ...args], {
    stdio: 'inherit',
    env: { ...process.env, TIDEGATE_POSTGRES_URL: postgresUrl },
  });
  // it undoes what it has begun, and is waited for
  listenForStop().closing.addEventListener('abort', () => child.kill('SIGTERM'));
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Trouble(`the store's program does not run: ${error.message}`)));
    child.once('exit', (code) => resolve(code ?? 130));
  });
}
