import type { ChildProcess } from 'node:child_process';

/** How a process ended, as text for the screen. */
export type Ending = string;

/** A started process. */
export interface Running {
  /** the process id of the server itself, not of its wrapper; undefined until it is known */
  readonly pid: number | undefined;
  /** resolves when the process id is known, or will never be known */
  readonly known: Promise<unknown>;
  readonly ended: Promise<Ending>;
  requestStop(): void;
  kill(): void;
}

export function endingOf(child: ChildProcess): Promise<Ending> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`could not be started: ${error.message}`));
    child.once('exit', (code, signal) => resolve(signal === null ? describeCode(code ?? 0) : `ended by ${signal}`));
  });
}

/** A shell reports a signal as 128 plus its number. */
function describeCode(code: number): string {
  const signals: Record<number, string> = {
    130: 'SIGINT',
    131: 'SIGQUIT',
    134: 'SIGABRT',
    137: 'SIGKILL',
    139: 'SIGSEGV',
    143: 'SIGTERM',
  };
  return signals[code] === undefined ? `ended with exit code ${code}` : `ended by ${signals[code]}`;
}

export function signalQuietly(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(pid, signal);
  } catch {
    // ESRCH: the process has ended already. EPERM: its id now belongs to a process of another user.
  }
}
