import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@tidegate/local';

interface PartOptions {
  readonly part: 'store' | 'watch' | 'gateway';
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
  /** where the version is that it is of; this project by default */
  readonly root?: string;
}

/** A part as a process of the test's own, started again whenever it ends, until it is stopped. */
export class PartProcess {
  readonly #options: PartOptions;
  #child: ChildProcess;
  #stopped = false;
  /** how the processes ended that were not stopped here: by a code or a signal */
  readonly ends: Array<number | string> = [];
  /** of the process that is started next */
  root: string;

  constructor(options: PartOptions) {
    this.#options = options;
    this.root = options.root ?? projectRoot;
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

  /** Again, after stop(). */
  startAgain(): void {
    if (!this.#stopped) return;
    this.#stopped = false;
    this.#child = this.#start();
  }

  /** the end of its log */
  lastWords(): string {
    return readFileSync(this.#options.logFile, 'utf8').slice(-2000);
  }

  #start(): ChildProcess {
    const { part, args, env, logFile } = this.#options;
    const log = openSync(logFile, 'a', 0o600);
    const main = join(this.root, 'services', part, 'src', 'main.ts');
    // it ends by itself when its standard input closes: none outlives the test
    const child = spawn(process.execPath, [main, ...args, '--lifeline'], {
      stdio: ['pipe', log, log],
      env: { ...process.env, ...env },
    });
    closeSync(log);
    child.once('exit', (code, signal) => {
      if (this.#stopped) return;
      this.ends.push(code ?? String(signal));
      this.#child = this.#start();
    });
    return child;
  }
}
