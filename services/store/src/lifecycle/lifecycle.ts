import { builtInRegistry } from '@tidegate/kinds';
import { delayMs, type Kit } from '@tidegate/service-kit';
import type { StoreConfig } from '../config.ts';
import type { Pool } from '../storage/connection.ts';
import { GatewayClient } from './gateway-client.ts';
import { Lease } from './lease.ts';
import { Namespaces } from './namespaces.ts';

const LEASE_SECONDS = 10;
const ROUND_MS = 250;
const OTHERS_ROUND_MS = 2000;

interface LifecycleOptions {
  config: StoreConfig;
  kit: Kit;
  pool: Pool;
  closing: AbortSignal;
}

/** Work that follows from what is stored, done by one replica at a time, as requests to the gateway. */
export async function runLifecycle({ config, kit, pool, closing }: LifecycleOptions): Promise<void> {
  const gateway = new GatewayClient({
    url: config.gatewayUrl,
    caFile: config.gatewayCaFile,
    certFile: config.gatewayCertFile,
    keyFile: config.gatewayKeyFile,
  });
  const lease = new Lease(pool, { name: 'lifecycle', holder: kit.instance, seconds: LEASE_SECONDS });
  const namespaces = new Namespaces({ pool, gateway, registry: builtInRegistry() });
  let heldUntil = 0;
  while (!closing.aborted) {
    try {
      if (Date.now() > heldUntil - (LEASE_SECONDS * 1000) / 2) {
        const asked = Date.now();
        heldUntil = (await lease.hold()) === undefined ? 0 : asked + LEASE_SECONDS * 1000;
      }
      if (heldUntil > 0) await namespaces.round();
    } catch (error) {
      kit.log.debug({ err: error }, 'A round of lifecycle work failed; it is done again.');
    }
    await delayMs(heldUntil > 0 ? ROUND_MS : OTHERS_ROUND_MS, closing);
  }
  gateway.close();
  await lease.release().catch(() => {});
}
