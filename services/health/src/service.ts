import type { Server } from 'node:http';
import type { Kit, KitConfig, Options, Service } from '@tidegate/service-kit';
import { createApp } from './app.ts';
import type { options } from './config.ts';
import { declareMetrics, type HealthMetrics } from './metrics.ts';
import type { TargetState } from './probes/target.ts';
import { Targets } from './probes/targets.ts';
import { reportOf } from './report.ts';

const PERIOD_MS = 1000;

/** Asks every part how it is, and shows it. Nothing depends on it: killing it changes no probe of the others. */
export class HealthService implements Service {
  readonly #config: Options<typeof options> & KitConfig;
  readonly #targets: Targets;
  readonly #metrics: HealthMetrics;
  readonly #app: Server;
  #timer: NodeJS.Timeout | undefined;

  constructor(config: Options<typeof options> & KitConfig, kit: Kit) {
    this.#config = config;
    this.#metrics = declareMetrics(kit.metrics);
    this.#targets = new Targets({
      names: config.targets,
      credentials: kit.credentials.client(),
      gone: (state) => this.#forget(state),
    });
    this.#app = createApp(() => reportOf(this.#targets.states));
  }

  revision(): number {
    return Math.max(0, ...this.#targets.states.map(({ answer }) => answer?.revision ?? 0));
  }

  async start(): Promise<void> {
    const colon = this.#config.httpAddress.lastIndexOf(':');
    const host = this.#config.httpAddress.slice(0, colon).replace(/^\[|\]$/g, '');
    const port = Number(this.#config.httpAddress.slice(colon + 1));
    await new Promise<void>((resolve, reject) => {
      this.#app.once('error', reject);
      this.#app.listen(port, host, resolve);
    });
    void this.#ask();
  }

  async drain(): Promise<void> {
    clearTimeout(this.#timer);
    this.#app.close();
    this.#app.closeAllConnections();
  }

  async stop(): Promise<void> {
    this.#targets.close();
  }

  async #ask(): Promise<void> {
    await this.#targets.ask();
    // a process that is started again has another name
    this.#metrics.check.reset();
    for (const state of this.#targets.states) {
      this.#metrics.reachable.labels({ target: state.address }).set(state.reachable ? 1 : 0);
      const { part = 'unknown', instance = '', checks = [] } = state.answer ?? {};
      for (const check of checks) this.#metrics.check.set({ part, instance, check: check.name }, check.ok ? 1 : 0);
    }
    this.#timer = setTimeout(() => void this.#ask(), PERIOD_MS);
    this.#timer.unref();
  }

  #forget({ address }: TargetState): void {
    this.#metrics.reachable.remove({ target: address });
  }
}
