import type { Server } from 'node:http';
import { delayMs, type Kit, type KitConfig, type Service, splitAddress } from '@tidegate/service-kit';
import { aggregated } from './aggregate.ts';
import { createApp } from './app.ts';
import { checkNumbers, type HealthConfig } from './config.ts';
import { History } from './history/history.ts';
import { declareMetrics, type HealthMetrics, showReplicas } from './metrics.ts';
import { Replica } from './probes/replica.ts';
import { Target } from './probes/target.ts';
import { reportOf } from './report.ts';

/** Asks every part how it is, and shows it. Nothing depends on it: killing it changes no probe of the others. */
export class HealthService implements Service {
  readonly #config: HealthConfig & KitConfig;
  readonly #targets: Target[];
  /** by address, as long as it is a target */
  readonly #replicas = new Map<string, Replica>();
  readonly #history: History;
  readonly #metrics: HealthMetrics;
  readonly #app: Server;
  readonly #closing = new AbortController();

  constructor(config: HealthConfig & KitConfig, kit: Kit) {
    checkNumbers(config);
    this.#config = config;
    this.#metrics = declareMetrics(kit.metrics);
    const timeoutMs = config.probeTimeoutSeconds * 1000;
    this.#targets = config.targets.map((address) => new Target(address, kit.credentials.client(), timeoutMs));
    this.#history = new History({ minutes: config.historyMinutes });
    this.#app = createApp({
      report: () => reportOf(this.#known(), Date.now()),
      checks: (endpoint) => aggregated(this.#known(), endpoint),
      history: this.#history,
      now: Date.now,
    });
  }

  revision(): number {
    return Math.max(0, ...this.#known().map((replica) => replica.revision));
  }

  async start(): Promise<void> {
    const [host, port] = splitAddress(this.#config.httpAddress);
    await new Promise<void>((resolve, reject) => {
      this.#app.once('error', reject);
      this.#app.listen(port, host, resolve);
    });
    void this.#run();
  }

  async drain(): Promise<void> {
    this.#closing.abort();
    this.#app.close();
    this.#app.closeAllConnections();
  }

  async stop(): Promise<void> {
    for (const target of this.#targets) target.close();
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await Promise.all(this.#targets.map((target) => this.#ask(target)));
      this.#forgetOthers();
      showReplicas(this.#metrics, this.#known());
      await delayMs(this.#config.probePeriodSeconds * 1000, signal);
    }
  }

  async #ask(target: Target): Promise<void> {
    const state = await target.ask();
    const replica = this.#replicaAt(state.address);
    const now = Date.now();
    this.#history.note(replica, replica.see(state, now), now);
  }

  /** What is no target any more is not believed to be anything. */
  #forgetOthers(): void {
    const wanted = new Set(this.#targets.map((target) => target.state.address));
    for (const address of this.#replicas.keys()) if (!wanted.has(address)) this.#replicas.delete(address);
  }

  #known(): Replica[] {
    return this.#targets.map((target) => this.#replicaAt(target.state.address));
  }

  #replicaAt(address: string): Replica {
    const known = this.#replicas.get(address);
    if (known !== undefined) return known;
    const { probeFailureThreshold: failures, probeSuccessThreshold: passes } = this.#config;
    const made = new Replica(address, { failures, passes });
    this.#replicas.set(address, made);
    return made;
  }
}
