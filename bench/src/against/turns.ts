import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { cpuSecondsApart } from '../cpu.ts';
import type { BenchNamespace } from '../measure.ts';
import type { Target } from '../target.ts';
import { OBJECTS } from './operations.ts';
import type { Order, Turn } from './turn-process.ts';

const PROCESS = fileURLToPath(new URL('turn-process.ts', import.meta.url));
/** What a write causes after its answer belongs to its turn: publishing it, and delivering it to the mirrors. */
const QUIET_MS = 15;

/** CPU microseconds of an operation. */
export interface Costs {
  /** of each process, without the helper threads of V8 */
  readonly parts: ReadonlyMap<string, number>;
  readonly helpers: number;
}

type Spent = ReturnType<typeof cpuSecondsApart>;

/**
 * Sends to several systems at once, in short turns, and measures the CPU time of each turn on each of them.
 *
 * Measured on two busy cores, the ratio of two versions is known about twice as exactly after the same time as with
 * alternating turns, because whatever else the machine does concerns both at once. Short turns are better than long
 * ones: a garbage collection makes a few turns outliers, instead of a share of all turns.
 */
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

  /** The costs of each side in one turn. */
  async run(turn: Turn): Promise<ReadonlyMap<string, Costs>> {
    const before = this.#spent();
    await this.#order({ turn });
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    const after = this.#spent();
    return new Map([...after].map(([side, spent]) => [side, costsOf(spent, before.get(side), turn.count)]));
  }

  #spent(): Map<string, Spent> {
    return new Map([...this.#targets].map(([side, { processes }]) => [side, cpuSecondsApart(processes)]));
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

function costsOf(after: Spent, before: Spent | undefined, count: number): Costs {
  const each = (what: 'own' | 'helpers') =>
    [...after].map(([part, spent]): [string, number] => {
      const seconds = spent[what] - (before?.get(part)?.[what] ?? 0);
      return [part, (seconds * 1e6) / count];
    });
  return { parts: new Map(each('own')), helpers: each('helpers').reduce((sum, [, cost]) => sum + cost, 0) };
}
