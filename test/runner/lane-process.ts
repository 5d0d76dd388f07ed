import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { Cost, FromLane, ToLane } from './messages.ts';
import type { Skipped } from './skipped.ts';

export interface Failure {
  readonly name: string;
  readonly error: string;
}

/** The result of one file. */
export interface FileResult {
  readonly passed: number;
  /** of the tests and groups of tests that passed */
  readonly names: readonly string[];
  readonly failures: readonly Failure[];
  readonly skipped: readonly Skipped[];
  /** undefined if the process ended before the file was done */
  readonly cost: Cost | undefined;
}

interface LaneOptions {
  readonly limitMs: number;
}

/** How long a process may take to exit after its last file; it may have to write its coverage. */
const END_MS = 60_000;

/**
 * A process that runs test files. If it ends, or a file exceeds the time limit, a new process runs the next file, so no
 * file can harm another one.
 */
export class Lane {
  readonly #limitMs: number;
  #child: ChildProcess | undefined;
  #endings = 0;

  constructor({ limitMs }: LaneOptions) {
    this.#limitMs = limitMs;
  }

  /** Runs one file to its end. Only one file may run at a time. */
  async run(file: string): Promise<FileResult> {
    this.#child ??= await startLane();
    const child = this.#child;
    return new Promise((resolve) => {
      const result = { passed: 0, names: [] as string[], failures: [] as Failure[], skipped: [] as Skipped[] };
      let lastTest = 'none';
      const over = (cost?: Cost) => {
        clearTimeout(timer);
        child.off('message', hear).off('exit', gone);
        resolve({ ...result, cost });
      };
      const lost = (error: string) => {
        this.#child = undefined;
        result.failures.push({ name: 'the whole file', error: `${error}; the last test that ended was: ${lastTest}` });
        over();
      };
      const hear = (message: FromLane) => {
        if (message.kind === 'done') return over(message.cost);
        if (message.kind === 'ready') return;
        lastTest = message.name;
        if (message.kind === 'passed') {
          result.names.push(message.name);
          if (!message.isGroup) result.passed++;
        } else if (message.kind === 'skipped') result.skipped.push(message);
        else result.failures.push({ name: message.name, error: message.error });
      };
      const gone = (code: number | null, signal: string | null) => lost(`its process ended with ${signal ?? code}`);
      const timer = setTimeout(() => {
        child.off('exit', gone);
        child.kill('SIGKILL');
        lost(`it was not done after ${this.#limitMs / 1000} s`);
      }, this.#limitMs);
      child.on('message', hear).once('exit', gone);
      send(child, { kind: 'run', file });
    });
  }

  /** Runs the endings of the resources that files have shared, and returns their failures. */
  async endShared(): Promise<readonly Failure[]> {
    if (this.#child === undefined) return [];
    // a module runs only once, so each run imports it under a new URL
    const { failures } = await this.run(`${join(import.meta.dirname, 'endings.ts')}?${++this.#endings}`);
    return failures;
  }

  /** Ends the process after the last file. Returns the failures of the endings of shared resources. */
  async end(): Promise<readonly Failure[]> {
    const failures = await this.endShared();
    await this.#endChild();
    return failures;
  }

  async #endChild(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    send(child, { kind: 'end' });
    const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
    await ended;
    clearTimeout(timer);
  }
}

function send(child: ChildProcess, message: ToLane): void {
  child.send(message);
}

function startLane(): Promise<ChildProcess> {
  const here = import.meta.dirname;
  const child = fork(join(here, 'lane.ts'), [], {
    execArgv: [`--test-reporter=${join(here, 'report-to-run.ts')}`, '--test-reporter-destination=stdout'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    child.once('message', () => resolve(child));
    child.once('exit', (code) => reject(new Error(`a test process exited at its start with code ${code}`)));
  });
}
