import { delayMs, type Kit, type Service } from '@tidegate/service-kit';
import { composeGateway, type Gateway } from './compose/gateway.ts';
import type { GatewayConfig } from './compose/given.ts';
import { durationOf } from './configuration/duration.ts';
import { TOLD_IDLE_MS } from './listener/app.ts';
import { Connections } from './listener/connections.ts';

/** how long requests that are under way may take when the process is to end */
const DRAIN_MS = 10_000;
/** how long idle connections stay open, where no other gateway can take them over */
const IDLE_MS = 1000;
/** all watches end within this time, but for those that begin meanwhile */
const WATCHES_WITHIN_MS = 1000;
const WATCHES_EACH_MS = 25;
const FEW_WATCHES = 10;

/** The gateway. Everything that it holds can be lost at any moment, and is built again from the other parts. */
export class GatewayService implements Service {
  readonly shutdownDelayMs: number;
  readonly #config: GatewayConfig;
  readonly #gateway: Gateway;
  readonly #connections: Connections;
  readonly #draining = new AbortController();

  constructor(config: GatewayConfig, kit: Kit) {
    this.#config = config;
    kit.checks.livezGraceMs = durationOf('livez-grace-period', config.livezGracePeriod);
    this.shutdownDelayMs = durationOf('shutdown-delay-duration', config.shutdownDelayDuration);
    this.#gateway = composeGateway(config, kit);
    this.#connections = new Connections(this.#gateway.app.server);
  }

  revision(): number {
    return this.#gateway.mirrors.through;
  }

  async start(): Promise<void> {
    const { app, health } = this.#gateway;
    this.#gateway.start();
    void health.probe.run();
    void health.firstObjects.run(this.#draining.signal);
    const { bindAddress: host, port } = this.#config;
    await app.listen({ host, port, reusePort: true } as never);
  }

  /** Takes no new connections; requests that are under way end, watches go on at another gateway. */
  async drain(): Promise<void> {
    this.#draining.abort();
    const drained = new AbortController();
    const ended = this.#endWatches(drained.signal);
    // a delay says that there are other gateways, and that clients should not notice
    const idleMs = this.shutdownDelayMs > 0 ? TOLD_IDLE_MS : IDLE_MS;
    await this.#connections.drain({ graceMs: DRAIN_MS, idleMs });
    drained.abort();
    await ended;
    this.#gateway.health.probe.stop();
    await this.#gateway.app.close();
  }

  /** Ends watches a few at a time, so that they do not all arrive at the other gateways at once. Each resumes from its last bookmark. */
  async #endWatches(drained: AbortSignal): Promise<void> {
    const { mirrors } = this.#gateway;
    const atOnce = Math.ceil((mirrors.watching * WATCHES_EACH_MS) / WATCHES_WITHIN_MS);
    while (!drained.aborted) {
      mirrors.endWatches(Math.max(FEW_WATCHES, atOnce));
      await delayMs(WATCHES_EACH_MS, drained);
    }
  }

  stop(): Promise<void> {
    return this.#gateway.stop();
  }
}
