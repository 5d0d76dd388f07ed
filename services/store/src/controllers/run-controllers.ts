import type { Closing, Kit } from '@tidegate/service-kit';
import { controllerLoops } from './controller-loops.ts';
import type { ControllerName } from './enabled-controllers.ts';
import { GatewayClient } from './gateway/gateway-client.ts';
import { LeaderElection } from './leader/leader-election.ts';
import { type ReconcileLoop, runLoop } from './leader/reconcile-loop.ts';
import type { ControllerMetrics } from './metrics.ts';
import type { ControllerConfig } from './options.ts';
import type { ControllerPort } from './port.ts';

const EXPIRY_MS = 1000;
/** for requests that aggregated API servers answer */
const REMOTE_TIMEOUT_MS = 5000;

interface ControllersOptions {
  readonly config: ControllerConfig;
  readonly controllers: ReadonlySet<ControllerName>;
  readonly port: ControllerPort;
  readonly metrics: ControllerMetrics;
  readonly kit: Kit;
  readonly closing: Closing;
}

/**
 * Runs the controllers until closing is aborted. One process at a time is their leader. The loops are independent, and
 * each keeps track of its own remaining work. Without a gateway only expired objects are deleted.
 */
export async function runControllers(options: ControllersOptions): Promise<void> {
  const { config, port, metrics, kit, closing } = options;
  const { lease, revisions } = port;
  const retry = kit.retries.loop('hold the lease', { firstMs: 1000, longestMs: 1000 });
  const election = new LeaderElection({ lease, retry });
  const gateway = config.gatewayUrl === '' ? undefined : gatewayClient(config, { log: kit.log });
  // a connection of its own for requests to other servers, so that a slow server delays no other controller
  const remoteGateway = gateway && gatewayClient(config, { log: kit.log, timeoutMs: REMOTE_TIMEOUT_MS });
  const loops = [expiryLoop(port, metrics)];
  if (gateway && remoteGateway) loops.push(...controllerLoops({ ...options, gateway, remoteGateway }));
  const onPass = (fence: number) => {
    if (gateway !== undefined) gateway.fence = `${lease.name}=${fence}`;
  };
  const context = { election, revisions, retries: kit.retries, onPass, closing };
  await election.run(closing, Promise.all(loops.map((loop) => runLoop(loop, context))));
  gateway?.close();
  remoteGateway?.close();
}

function expiryLoop({ expired }: ControllerPort, metrics: ControllerMetrics): ReconcileLoop {
  const reconcile = async (fence: number) => metrics.expired.inc(await expired.deleteExpired(fence));
  return { name: 'expiry', everyMs: EXPIRY_MS, reconcile };
}

function gatewayClient(config: ControllerConfig, more: { log: Kit['log']; timeoutMs?: number }): GatewayClient {
  const { gatewayUrl: url, gatewayCaFile: caFile, gatewayTokenFile: tokenFile } = config;
  const { gatewayCertFile: certFile, gatewayKeyFile: keyFile } = config;
  return new GatewayClient({ url, caFile, certFile, keyFile, tokenFile, ...more });
}
