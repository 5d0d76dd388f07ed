import { readFileSync } from 'node:fs';
import type { Profile } from './attribute.ts';

/** The option of Node with which a process can be profiled while it runs; each gets a free port. */
export const INSPECTABLE = '--inspect=127.0.0.1:0';
const INTERVAL_US = 500;

/** The profiler of a running process. */
export class Inspector {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (result: { profile?: Profile }) => void>();
  #next = 1;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const { id, result } = JSON.parse(String(data)) as { id?: number; result?: { profile?: Profile } };
      if (id === undefined) return;
      this.#waiting.get(id)?.(result ?? {});
      this.#waiting.delete(id);
    });
  }

  /** Connects to the process that writes this log: Node prints the address of the inspector when it starts. */
  static async open(logFile: string): Promise<Inspector> {
    const address = [...readFileSync(logFile, 'utf8').matchAll(/Debugger listening on (ws:\/\/127\.0\.0\.1:\S+)/g)].at(
      -1,
    )?.[1];
    if (address === undefined) throw new Error(`${logFile} names no inspector`);
    const socket = new WebSocket(address);
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve(), { once: true });
      socket.addEventListener('error', () => reject(new Error(`${address} does not answer`)), { once: true });
    });
    const inspector = new Inspector(socket);
    await inspector.#call('Profiler.enable');
    await inspector.#call('Profiler.setSamplingInterval', { interval: INTERVAL_US });
    return inspector;
  }

  async start(): Promise<void> {
    await this.#call('Profiler.start');
  }

  async stop(): Promise<Profile> {
    const { profile } = await this.#call('Profiler.stop');
    if (profile === undefined) throw new Error('the inspector returned no profile');
    return profile;
  }

  close(): void {
    this.#socket.close();
  }

  #call(method: string, params: object = {}): Promise<{ profile?: Profile }> {
    const id = this.#next++;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }
}
