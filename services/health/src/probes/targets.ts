import { type Kit, type Replica, ReplicaNames, type ReplicaNamesOptions } from '@tidegate/service-kit';
import { Target, type TargetState } from './target.ts';

interface TargetsOptions extends Omit<ReplicaNamesOptions, 'changed'> {
  readonly credentials: ReturnType<Kit['credentials']['client']>;
  /** timeout of a probe */
  readonly timeoutMs: number;
  /** called when an address is no longer a target */
  readonly removed: (state: TargetState) => void;
}

/** All targets, as their names resolve at present: new addresses are added, and old ones removed. */
export class Targets {
  readonly #options: TargetsOptions;
  readonly #names: ReplicaNames;
  readonly #byAddress = new Map<string, Target>();

  constructor(options: TargetsOptions) {
    this.#options = options;
    this.#names = new ReplicaNames({ ...options, changed: (replicas) => this.#take(replicas) });
    this.#take(this.#names.replicas);
  }

  get states(): readonly TargetState[] {
    return [...this.#byAddress.values()].map((target) => target.state);
  }

  /** Probes all targets. Returns the results of those that still exist; new targets are probed next time. */
  async probe(): Promise<readonly TargetState[]> {
    const results = await Promise.all([...this.#byAddress.values()].map((target) => target.probe()));
    return results.filter(({ address }) => this.#byAddress.has(address));
  }

  close(): void {
    this.#names.close();
    for (const target of this.#byAddress.values()) target.close();
  }

  #take(replicas: readonly Replica[]): void {
    const before = new Map(this.#byAddress);
    this.#byAddress.clear();
    for (const replica of replicas) {
      const { address } = replica;
      this.#byAddress.set(address, before.get(address) ?? this.#made(replica));
      before.delete(address);
    }
    for (const target of before.values()) {
      target.close();
      this.#options.removed(target.state);
    }
  }

  #made(replica: Replica): Target {
    return new Target(replica, this.#options.credentials, this.#options.timeoutMs);
  }
}
