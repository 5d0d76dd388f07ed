import { spawn } from 'node:child_process';
import { programFile, UserError } from '@tidegate/local';
import { listenForStop } from '../launch/stop-signals.ts';

/**
 * Runs the backup program on this terminal, and returns its exit code. The URL has a password, so it is passed in the
 * environment.
 */
export function startBackupProgram(args: readonly string[], postgresUrl: string): Promise<number> {
  const child = spawn(process.execPath, [programFile('backup'), ...args], {
    stdio: 'inherit',
    env: { ...process.env, TIDEGATE_POSTGRES_URL: postgresUrl },
  });
  // the program undoes its work; its exit is awaited
  listenForStop().closing.addEventListener('abort', () => child.kill('SIGTERM'));
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new UserError(`the backup program does not run: ${error.message}`)));
    child.once('exit', (code) => resolve(code ?? 130));
  });
}
