import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** The function in which the handling of a request starts. */
interface Entry {
  readonly file: string;
  readonly name: string;
}

type Pass = (file: string, name: string) => void;

/**
 * Records which source files a request enters, in order. A worker sets a breakpoint at the beginning of every function
 * that has run before; its condition reports the function and never stops. So the code runs unchanged, and only
 * functions that the process has used already are seen: warm it up first.
 */
export class EnteredFiles {
  readonly #worker: Worker;
  readonly #requests = new AsyncLocalStorage<string[]>();
  readonly #entry: Entry;
  #isArmed = false;
  #files: string[] = [];

  private constructor(worker: Worker, entry: Entry) {
    this.#worker = worker;
    this.#entry = entry;
  }

  /** `root`: the folder of the sources; it is cut from their URLs. */
  static async start(root: URL, entry: Entry): Promise<EnteredFiles> {
    const worker = new Worker(new URL('./entered-files.worker.ts', import.meta.url), { workerData: root.href });
    await once(worker, 'message');
    const recorder = new EnteredFiles(worker, entry);
    (globalThis as { passed?: Pass }).passed = (file, name) => recorder.#passed(file, name);
    return recorder;
  }

  /** Reports every function that has run since the start. */
  async watch(): Promise<void> {
    this.#worker.postMessage('watch');
    await once(this.#worker, 'message');
  }

  /** The files that the next request enters, each once, in the order in which it enters them. */
  async of(request: () => Promise<unknown>): Promise<string[]> {
    this.#isArmed = true;
    this.#files = [];
    await request();
    return [...new Set(this.#files)];
  }

  async stop(): Promise<void> {
    delete (globalThis as { passed?: Pass }).passed;
    await this.#worker.terminate();
  }

  #passed(file: string, name: string): void {
    if (this.#isArmed && file === this.#entry.file && name === this.#entry.name) {
      this.#isArmed = false;
      this.#requests.enterWith(this.#files);
    }
    this.#requests.getStore()?.push(file);
  }
}
