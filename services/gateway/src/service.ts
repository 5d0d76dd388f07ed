import { delayMs, type Kit, type Service } from '@tidegate/service-kit';
import { composeGateway, type Gateway } from './compose/gateway.ts';
import type { GatewayConfig } from './compose/given.ts';
import { durationOf } from './configuration/duration.ts';
import { ANNOUNCED_IDLE_MS } from './listener/app.ts';
import { Connections } from './listener/connections.ts';

/** time for pending requests when the process stops */
const DRAIN_MS = 10_000;
/** how long idle connections stay open if there may be no other gateway */
const IDLE_MS = 1000;
/** within this time all watches end, except those that begin meanwhile */
const WATCHES_WITHIN_MS = 1000;
const WATCHES_EACH_MS = 25;
const FEW_WATCHES = 10;

/** The gateway. All its state can be lost at any moment, and is rebuilt from the other parts. */
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

  /** Accepts no new connections. Pending requests finish, and clients continue their watches at another gateway. */
  async drain(): Promise<void> {
    this.#draining.abort();
    const drained = new AbortController();
    const ended = this.#endWatches(drained.signal);
    // with a shutdown delay there are other gateways, and clients should not notice the stop
    const idleMs = this.shutdownDelayMs > 0 ? ANNOUNCED_IDLE_MS : IDLE_MS;
    await this.#connections.drain({ graceMs: DRAIN_MS, idleMs });
    drained.abort();
    await ended;
    this.#gateway.health.probe.stop();
    await this.#gateway.app.close();
  }

  /** Ends watches in small groups, so that they do not all reconnect at once. Each resumes from its last bookmark. */
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
