import { builtInRegistry } from '@tidegate/kinds';
import { delayMs, type Kit } from '@tidegate/service-kit';
import type { StoreConfig } from '../config.ts';
import type { StoreMetrics } from '../metrics.ts';
import type { CommitBatcher } from '../storage/commit-batcher.ts';
import type { Pool } from '../storage/connection.ts';
import { Expiry } from './expiry.ts';
import { GatewayClient } from './gateway-client.ts';
import { Lease } from './lease.ts';
import { Namespaces } from './namespaces.ts';

const LEASE = 'lifecycle';
const LEASE_SECONDS = 10;
const ROUND_MS = 250;
const OTHERS_ROUND_MS = 2000;
const SWEEP_MS = 1000;

interface LifecycleOptions {
  config: StoreConfig;
  kit: Kit;
  pool: Pool;
  commits: CommitBatcher;
  metrics: StoreMetrics;
  closing: AbortSignal;
}

/** Work that follows from what is stored, done by one replica at a time, as requests to the gateway. */
export async function runLifecycle({ config, kit, pool, commits, metrics, closing }: LifecycleOptions): Promise<void> {
  const gateway = config.gatewayUrl === '' ? undefined : gatewayOf(config);
  const lease = new Lease(pool, { name: LEASE, holder: kit.instance, seconds: LEASE_SECONDS });
  const namespaces = gateway && new Namespaces({ pool, gateway, registry: builtInRegistry() });
  const expiry = new Expiry({ pool, commits });
  let fence: number | undefined;
  let heldUntil = 0;
  let sweepAt = 0;
  while (!closing.aborted) {
    try {
      if (performance.now() > heldUntil - (LEASE_SECONDS * 1000) / 2) {
        const asked = performance.now();
        fence = await lease.hold();
        heldUntil = fence === undefined ? 0 : asked + LEASE_SECONDS * 1000;
      }
      if (fence !== undefined) {
        if (gateway !== undefined) gateway.fence = `${LEASE}=${fence}`;
        await namespaces?.round();
        if (performance.now() >= sweepAt) {
          metrics.expired.inc(await expiry.round(LEASE, fence));
          sweepAt = performance.now() + SWEEP_MS;
        }
      }
    } catch (error) {
      kit.log.debug({ err: error }, 'A round of lifecycle work failed; it is done again.');
    }
    await delayMs(heldUntil > 0 ? ROUND_MS : OTHERS_ROUND_MS, closing);
  }
  gateway?.close();
  await lease.release().catch(() => {});
}

function gatewayOf(config: StoreConfig): GatewayClient {
  const { gatewayUrl: url, gatewayCaFile: caFile, gatewayCertFile: certFile, gatewayKeyFile: keyFile } = config;
  return new GatewayClient({ url, caFile, certFile, keyFile });
}
