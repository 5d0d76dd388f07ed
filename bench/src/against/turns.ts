import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { cpuSeconds } from '../cpu.ts';
import type { BenchNamespace } from '../measure.ts';
import type { Target } from '../target.ts';
import { OBJECTS } from './operations.ts';
import type { Order, Turn } from './turn-process.ts';

const PROCESS = fileURLToPath(new URL('turn-process.ts', import.meta.url));
/** What a write causes after its answer belongs to its turn: publishing it, and delivering it to the mirrors. */
const QUIET_MS = 25;

/** CPU microseconds of an operation, of each process of the system. */
export type Costs = ReadonlyMap<string, number>;

/** Sends to several systems in turns, and measures the CPU time of each turn. */
export class Turns {
  readonly #child: ChildProcess;
  readonly #targets = new Map<string, Target>();

  constructor() {
    this.#child = fork(PROCESS, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  }

  async open(name: string, target: Target, { name: namespace, subject }: BenchNamespace): Promise<void> {
    const { hostname: host, port } = new URL(target.server);
    this.#targets.set(name, target);
    const address = { host, port: Number(port), token: target.token };
    await this.#order({ open: { name, address, place: { namespace, subject, objects: OBJECTS } } });
  }

  async run(turn: Turn): Promise<Costs> {
    const processes = this.#targets.get(turn.side)?.processes ?? [];
    const before = cpuSeconds(processes);
    await this.#order({ turn });
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    const after = cpuSeconds(processes);
    return new Map(
      [...after].map(([name, seconds]) => [name, ((seconds - (before.get(name) ?? 0)) * 1e6) / turn.count]),
    );
  }

  close(): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  #order(order: Order): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = () => reject(new Error('the process that sends the requests has ended'));
      this.#child.once('exit', end);
      this.#child.once('message', ({ error }: { error?: string }) => {
        this.#child.off('exit', end);
        if (error === undefined) resolve();
        else reject(new Error(error));
      });
      this.#child.send(order);
    });
  }
}
