import { readFileSync } from 'node:fs';
import { builtInRegistry, DEFINITIONS } from '@tidegate/kinds';
import { delayMs, type Kit } from '@tidegate/service-kit';
import type { Key } from '@tidegate/wire';
import type { StoreConfig } from '../config.ts';
import type { StoreMetrics } from '../metrics.ts';
import type { CommitBatcher } from '../storage/commit-batcher.ts';
import type { Pool } from '../storage/connection.ts';
import { type Belonging, Belongings } from './belongings.ts';
import { ChangedKeys } from './changed-keys.ts';
import type { Controller } from './controllers.ts';
import { CustomContents } from './custom-contents.ts';
import { Definitions } from './definitions.ts';
import { Expiry } from './expiry.ts';
import { FirstObjects } from './first-objects.ts';
import { GatewayClient } from './gateway-client.ts';
import { Lease } from './lease.ts';
import { Namespaces } from './namespaces.ts';
import { OwnService } from './own-service.ts';

const LEASE = 'lifecycle';
const LEASE_SECONDS = 10;
const ROUND_MS = 250;
const OTHERS_ROUND_MS = 2000;
const SWEEP_MS = 1000;

interface LifecycleOptions {
  config: StoreConfig;
  controllers: ReadonlySet<Controller>;
  kit: Kit;
  pool: Pool;
  commits: CommitBatcher;
  metrics: StoreMetrics;
  closing: AbortSignal;
}

/** Work that follows from what is stored, done by one replica at a time, as requests to the gateway. */
export async function runLifecycle(options: LifecycleOptions): Promise<void> {
  const { config, controllers, kit, pool, commits, metrics, closing } = options;
  const gateway = config.gatewayUrl === '' ? undefined : gatewayOf(config);
  const lease = new Lease(pool, { name: LEASE, holder: kit.instance, seconds: LEASE_SECONDS });
  const work = gateway && new GatewayWork({ config, controllers, kit, pool, gateway });
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
        await work?.round(fence);
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

interface WorkOptions {
  config: StoreConfig;
  controllers: ReadonlySet<Controller>;
  kit: Kit;
  pool: Pool;
  gateway: GatewayClient;
}

/** What is done through the gateway. One part's failure holds up no other; each knows what it has left to do. */
class GatewayWork {
  readonly #kit: Kit;
  readonly #changed: ChangedKeys;
  readonly #parts: ReadonlyArray<{ round(changed: readonly Key[] | undefined): Promise<void> }>;
  #fence: number | undefined;

  constructor({ config, controllers, kit, pool, gateway }: WorkOptions) {
    const wanted = belongings(config, controllers);
    const { gatewayUrl, advertiseAddress: advertiseAddresses } = config;
    this.#kit = kit;
    this.#changed = new ChangedKeys(pool, [
      { resource: 'namespaces' },
      { resource: DEFINITIONS },
      ...wanted.map(({ resource, name }) => ({ resource, name })),
      ...['services', 'endpoints', 'endpointslices.discovery.k8s.io'].map((resource) => ({
        resource,
        name: 'kubernetes',
      })),
    ]);
    const finalizes = controllers.has('namespace-controller');
    const registry = builtInRegistry();
    const definitions = new Definitions({ pool, gateway, registry });
    this.#parts = [
      definitions,
      ...(finalizes ? [new CustomContents({ pool, gateway, definitions })] : []),
      new Namespaces({ pool, gateway, registry, finalizes }),
      new Belongings({ pool, gateway, wanted }),
      new OwnService({ gateway, gatewayUrl, advertiseAddresses }),
      new FirstObjects(gateway),
    ];
  }

  async round(fence: number): Promise<void> {
    // somebody else may have held it meanwhile, and what was changed then is for us to see
    if (fence !== this.#fence) this.#changed.forget();
    this.#fence = fence;
    const changed = await this.#changed.look();
    for (const part of this.#parts) {
      await part.round(changed).catch((error: unknown) => {
        this.#kit.log.debug(
          { err: error, part: part.constructor.name },
          'A round of lifecycle work failed; it is done again.',
        );
      });
    }
  }
}

function belongings(config: StoreConfig, controllers: ReadonlySet<Controller>): Belonging[] {
  const wanted: Belonging[] = [];
  if (controllers.has('serviceaccount-controller')) {
    wanted.push({ resource: 'serviceaccounts', name: 'default', kind: 'ServiceAccount', content: {} });
  }
  const caFile = config.rootCaFile || config.gatewayCaFile;
  if (controllers.has('root-ca-certificate-publisher-controller') && caFile !== '') {
    wanted.push({
      resource: 'configmaps',
      name: 'kube-root-ca.crt',
      kind: 'ConfigMap',
      annotations: {
        'kubernetes.io/description': 'The authorities by which programs in the cluster know its API server.',
      },
      content: { data: { 'ca.crt': readFileSync(caFile, 'utf8') } },
    });
  }
  return wanted;
}

function gatewayOf(config: StoreConfig): GatewayClient {
  const { gatewayUrl: url, gatewayCaFile: caFile, gatewayCertFile: certFile, gatewayKeyFile: keyFile } = config;
  return new GatewayClient({ url, caFile, certFile, keyFile });
}
