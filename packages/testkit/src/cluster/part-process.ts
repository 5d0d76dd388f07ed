import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';

interface PartOptions {
  /** the program to run */
  readonly main: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
}

/** Runs a part as a process, and starts it again whenever it exits, until stop(). */
export class PartProcess {
  readonly #options: PartOptions;
  #child: ChildProcess;
  #stopped = false;
  /** the exit codes and signals of the processes that were not stopped here */
  readonly exits: Array<number | string> = [];
  /** the program of the next process; can be changed to another version */
  main: string;

  constructor(options: PartOptions) {
    this.#options = options;
    this.main = options.main;
    this.#child = this.#start();
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** Starts the part again after stop(). */
  startAgain(): void {
    if (!this.#stopped) return;
    this.#stopped = false;
    this.#child = this.#start();
  }

  /** The end of the log. */
  logTail(): string {
    return readFileSync(this.#options.logFile, 'utf8').slice(-2000);
  }

  #start(): ChildProcess {
    const { args, env, logFile } = this.#options;
    const log = openSync(logFile, 'a', 0o600);
    // with --lifeline it stops when its standard input closes, so it never outlives the test
    const child = spawn(process.execPath, [this.main, ...args, '--lifeline'], {
      stdio: ['pipe', log, log],
      env: { ...process.env, ...env },
    });
    closeSync(log);
    child.once('exit', (code, signal) => {
      if (this.#stopped) return;
      this.exits.push(code ?? String(signal));
      this.#child = this.#start();
    });
    return child;
  }
}
