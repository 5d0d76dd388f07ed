import type { Server } from 'node:http';
import { delayMs, type Kit, type KitConfig, type Service, splitAddress } from '@tidegate/service-kit';
import { aggregated } from './aggregate.ts';
import { createApp } from './app.ts';
import { BoardHosts } from './board/board-hosts.ts';
import { checkNumbers, type HealthConfig } from './config.ts';
import { History } from './history/history.ts';
import { declareMetrics, type HealthMetrics, showReplicas } from './metrics.ts';
import { Replica } from './probes/replica.ts';
import type { TargetState } from './probes/target.ts';
import { Targets } from './probes/targets.ts';
import { reportOf } from './report.ts';

/** Probes all parts, and shows the results. No part depends on it: stopping it changes no other probe. */
export class HealthService implements Service {
  readonly #config: HealthConfig & KitConfig;
  readonly #targets: Targets;
  /** by address, while it is a target */
  readonly #replicas = new Map<string, Replica>();
  readonly #history: History;
  readonly #metrics: HealthMetrics;
  readonly #app: Server;
  readonly #closing = new AbortController();

  constructor(config: HealthConfig & KitConfig, kit: Kit) {
    checkNumbers(config);
    this.#config = config;
    this.#metrics = declareMetrics(kit.metrics);
    this.#targets = new Targets({
      names: config.targets,
      credentials: kit.credentials.client(),
      timeoutMs: config.probeTimeoutSeconds * 1000,
      removed: ({ address }) => this.#replicas.delete(address),
    });
    this.#history = new History({ minutes: config.historyMinutes });
    this.#app = createApp({
      report: () => reportOf(this.#known(), Date.now()),
      checks: (endpoint) => aggregated(this.#known(), endpoint),
      history: this.#history,
      now: Date.now,
      hosts: new BoardHosts([...config.boardHosts, ...listened(config.httpAddress)]),
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
    this.#targets.close();
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      for (const state of await this.#targets.probe()) this.#note(state);
      showReplicas(this.#metrics, this.#known());
      await delayMs(this.#config.probePeriodSeconds * 1000, signal);
    }
  }

  #note(state: TargetState): void {
    const replica = this.#replicaAt(state.address);
    const now = Date.now();
    this.#history.note(replica, replica.observe(state, now), now);
  }

  #known(): Replica[] {
    return this.#targets.states.map(({ address }) => this.#replicaAt(address));
  }

  #replicaAt(address: string): Replica {
    const known = this.#replicas.get(address);
    if (known !== undefined) return known;
    const { probeFailureThreshold: failures, probeSuccessThreshold: passes } = this.#config;
    const made = new Replica(address, { failures, passes }, Date.now());
    this.#replicas.set(address, made);
    return made;
  }
}

/** The host of --http-address is one of the board's hosts, unless it is a wildcard address. */
function listened(httpAddress: string): string[] {
  const [host] = splitAddress(httpAddress);
  return ['', '0.0.0.0', '::'].includes(host) ? [] : [host];
}
