import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { Cost, FromLane, ToLane } from './messages.ts';
import type { Skipped } from './skipped.ts';

export interface Failure {
  readonly name: string;
  readonly error: string;
}

/** What became of one file. */
export interface FileResult {
  readonly passed: number;
  readonly failures: readonly Failure[];
  readonly skipped: readonly Skipped[];
  /** undefined where the process ended in the middle of it */
  readonly cost: Cost | undefined;
}

interface LaneOptions {
  readonly limitMs: number;
}

/** How long a process may take to end when there is nothing left to run: it may have to write down what it has covered. */
const END_MS = 60_000;

/**
 * A process that runs files of tests. One that ends, or that a file keeps beyond the limit, is replaced for the next file:
 * what a file does to its process harms no other.
 */
export class Lane {
  readonly #limitMs: number;
  #child: ChildProcess | undefined;
  #endings = 0;

  constructor({ limitMs }: LaneOptions) {
    this.#limitMs = limitMs;
  }

  /** Runs one file to its end. One at a time. */
  async run(file: string): Promise<FileResult> {
    this.#child ??= await startLane();
    const child = this.#child;
    return new Promise((resolve) => {
      const said = { passed: 0, failures: [] as Failure[], skipped: [] as Skipped[] };
      let lastTest = 'none';
      const over = (cost?: Cost) => {
        clearTimeout(timer);
        child.off('message', hear).off('exit', gone);
        resolve({ ...said, cost });
      };
      const lost = (error: string) => {
        this.#child = undefined;
        said.failures.push({ name: 'the whole file', error: `${error}; the last test that ended was: ${lastTest}` });
        over();
      };
      const hear = (message: FromLane) => {
        if (message.kind === 'done') return over(message.cost);
        if (message.kind === 'ready') return;
        lastTest = message.name;
        if (message.kind === 'passed') said.passed++;
        else if (message.kind === 'skipped') said.skipped.push(message);
        else said.failures.push({ name: message.name, error: message.error });
      };
      const gone = (code: number | null, signal: string | null) => lost(`its process ended with ${signal ?? code}`);
      const timer = setTimeout(() => {
        child.off('exit', gone);
        child.kill('SIGKILL');
        lost(`it was not done after ${this.#limitMs / 1000} s`);
      }, this.#limitMs);
      child.on('message', hear).once('exit', gone);
      tell(child, { kind: 'run', file });
    });
  }

  /** What the files so far have shared ends. Answers what failed of that. */
  async endShared(): Promise<readonly Failure[]> {
    if (this.#child === undefined) return [];
    // a module runs once: under another address it is another one
    const { failures } = await this.run(`${join(import.meta.dirname, 'endings.ts')}?${++this.#endings}`);
    return failures;
  }

  /** There is nothing left to run. Answers what failed of ending what the files shared. */
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
    tell(child, { kind: 'end' });
    const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
    await ended;
    clearTimeout(timer);
  }
}

function tell(child: ChildProcess, message: ToLane): void {
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
    child.once('exit', (code) => reject(new Error(`a process for tests ended at its start with ${code}`)));
  });
}
