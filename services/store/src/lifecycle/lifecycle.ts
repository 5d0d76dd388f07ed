import { readFileSync } from 'node:fs';
import { API_SERVICES, builtInRegistry, DEFINITIONS, type Registry } from '@tidegate/kinds';
import { type Closing, delayMs, type Kit } from '@tidegate/service-kit';
import type { StoreConfig } from '../config.ts';
import { GarbageCollector } from '../garbage/garbage-collector.ts';
import type { StoreMetrics } from '../metrics.ts';
import type { Bell } from '../publish/bell.ts';
import type { ChangeFeed } from '../publish/change-feed.ts';
import type { CommitBatcher } from '../storage/commit-batcher.ts';
import type { Pool } from '../storage/connection.ts';
import type { KeyReader } from '../storage/reads.ts';
import { AggregatedRoles, CLUSTER_ROLES } from './aggregated-roles.ts';
import { ApiServices } from './api-services.ts';
import { type Belonging, Belongings } from './belongings.ts';
import { BootstrapPolicy } from './bootstrap-policy.ts';
import { ChangedKeys } from './changed-keys.ts';
import type { Controller } from './controllers.ts';
import { Definitions } from './definitions.ts';
import { Expiry } from './expiry.ts';
import { FirstObjects } from './first-objects.ts';
import { FLOW_RESOURCES, FlowControl } from './flow-control.ts';
import { GatewayClient } from './gateway-client.ts';
import { Lease } from './lease.ts';
import { LeftBehind } from './left-behind.ts';
import { Namespaces } from './namespaces.ts';
import { OwnService } from './own-service.ts';
import { QuietRounds } from './quiet-rounds.ts';
import { RemoteContents } from './remote-contents.ts';
import { requestHeaderData } from './request-headers.ts';
import { ResourceQuotas } from './resource-quotas.ts';
import { protectedResources, StorageProtection } from './storage-protection.ts';
import { Tenure } from './tenure.ts';

const LEASE = 'lifecycle';
const LEASE_SECONDS = 10;
const ROUND_MS = 250;
const SWEEP_MS = 1000;
/** A round is done after so long in any case: some work waits for a time, and not for a change. */
const LONGEST_QUIET_MS = 2500;
/** of work that waits for changes only: then it is for safety */
const SAFETY_MS = 10_000;
/** between two attempts at a round that fails */
const LONGEST_PAUSE_MS = 1000;
/** those of other replicas are seen within it */
const DEFINITIONS_MS = 100;
/** of servers behind the API */
const REMOTE_TIMEOUT_MS = 5000;

interface LifecycleOptions {
  config: StoreConfig;
  controllers: ReadonlySet<Controller>;
  kit: Kit;
  pool: Pool;
  commits: CommitBatcher;
  reads: KeyReader;
  metrics: StoreMetrics;
  /** rings when this replica has written a definition */
  defined: Bell;
  /** what this replica has heard of new revisions, without asking PostgreSQL */
  feed: Pick<ChangeFeed, 'revision' | 'news'>;
  closing: Closing;
}

interface Clients {
  gateway: GatewayClient;
  /** a connection of its own for what others serve: what hangs there holds up no other work */
  elsewhere: GatewayClient;
}

/** One sort of work: a round does what there is to do, and answers whether there is more at once. */
interface Work {
  readonly name: string;
  readonly everyMs: number;
  /** how long rounds are passed over while nothing is written */
  readonly quietMs?: number;
  /** rings where there is something to do before that */
  readonly bell?: Bell;
  round(fence: number): Promise<unknown>;
}

/**
 * Work that follows from what is stored, done by one replica at a time, as requests to the gateway. No sort of it waits
 * for another, and each knows what it has left to do.
 */
export async function runLifecycle(options: LifecycleOptions): Promise<void> {
  const { config, kit, pool, feed, closing } = options;
  const gateway = config.gatewayUrl === '' ? undefined : gatewayOf(config, { log: kit.log });
  const lease = new Lease(pool, { name: LEASE, holder: kit.instance, seconds: LEASE_SECONDS });
  const retry = kit.retries.loop('hold the lease', { firstMs: 1000, longestMs: 1000 });
  const tenure = new Tenure(lease, { seconds: LEASE_SECONDS, retry });
  const elsewhere = gateway && gatewayOf(config, { log: kit.log, timeoutMs: REMOTE_TIMEOUT_MS });
  const works = [expiry(options), ...(gateway && elsewhere ? throughGateway(options, { gateway, elsewhere }) : [])];
  const quiet = new QuietRounds({ revision: () => feed.revision });
  const go = async ({ name, everyMs, quietMs = LONGEST_QUIET_MS, bell, round }: Work) => {
    const turn = quiet.work(quietMs);
    const retry = kit.retries.loop(name, { firstMs: everyMs, longestMs: Math.max(everyMs, LONGEST_PAUSE_MS) });
    while (!closing.aborted) {
      const { fence } = tenure;
      const restMs = fence === undefined ? 0 : turn.restMs(fence);
      if (restMs > 0) {
        await feed.news(restMs, closing);
        continue;
      }
      const before = bell?.rings;
      let more: unknown = false;
      if (fence !== undefined) {
        turn.begin(fence);
        if (gateway !== undefined) gateway.fence = `${LEASE}=${fence}`;
        try {
          more = await round(fence);
          turn.done(more === true);
          retry.succeeded();
        } catch (error) {
          await retry.failed(error, closing);
          continue;
        }
      }
      // what rings while a round is on is for the next
      if (more === true || bell?.rings !== before) continue;
      await (bell?.heard(everyMs, closing) ?? delayMs(everyMs, closing));
    }
  };
  await tenure.run(closing, Promise.all(works.map(go)));
  gateway?.close();
  elsewhere?.close();
}

function expiry({ pool, commits, metrics }: LifecycleOptions): Work {
  const expiry = new Expiry({ pool, commits });
  const round = async (fence: number) => metrics.expired.inc(await expiry.round(LEASE, fence));
  return { name: 'expiry', everyMs: SWEEP_MS, round };
}

function throughGateway(options: LifecycleOptions, { gateway, elsewhere }: Clients): Work[] {
  const { controllers, kit, pool, reads, metrics, closing } = options;
  const registry = builtInRegistry();
  const finalizes = controllers.has('namespace-controller');
  const remote = new RemoteContents(elsewhere);
  const namespaces = new Namespaces({ pool, reads, gateway, registry, remote, finalizes });
  const works: Work[] = [
    furnishing(options, { gateway, registry }),
    policy(options, gateway),
    flowControl(options, gateway),
    ...defining(options, { gateway, registry }),
    { name: 'namespaces', everyMs: ROUND_MS, round: () => namespaces.round() },
  ];
  if (controllers.has('garbage-collector-controller')) {
    const collector = new GarbageCollector({ pool, reads, gateway, registry, metrics, log: kit.log, closing });
    works.push({ name: 'garbage', everyMs: ROUND_MS, round: () => collector.round() });
  }
  if (controllers.has('resourcequota-controller')) {
    const quotas = new ResourceQuotas({ pool, gateway, uncounted: kit.faults.place('count what quotas limit') });
    works.push({ name: 'quotas', everyMs: ROUND_MS, round: (fence) => quotas.round(fence) });
  }
  const resources = protectedResources(controllers);
  if (resources.length > 0) {
    const changes = new ChangedKeys(
      pool,
      resources.map((resource) => ({ resource })),
    );
    const protection = new StorageProtection({ pool, gateway, resources });
    const round = async (fence: number) => protection.round(await changes.lookUnder(fence));
    works.push({ name: 'storage', everyMs: ROUND_MS, round });
  }
  return works;
}

/** Roles and bindings that are there from the beginning, and roles that gather the rules of others. */
function policy({ controllers, kit, pool }: LifecycleOptions, gateway: GatewayClient): Work {
  const changes = new ChangedKeys(pool, [{ resource: CLUSTER_ROLES }]);
  const bootstrap = new BootstrapPolicy(gateway, kit.faults.place('provide the first roles and bindings').failed);
  const gathers = controllers.has('clusterrole-aggregation-controller');
  const aggregated = new AggregatedRoles(gateway);
  const round = async (fence: number) => {
    const changed = await changes.lookUnder(fence);
    // a change is told once: whatever becomes of the one, the other hears of it
    const [made, filled] = await Promise.allSettled([
      bootstrap.round(changed === undefined),
      gathers ? aggregated.round(changed) : undefined,
    ]);
    for (const done of [made, filled]) if (done?.status === 'rejected') throw done.reason;
  };
  return { name: 'policy', everyMs: ROUND_MS, quietMs: SAFETY_MS, round };
}

/** Priority levels and flow schemas that are there from the beginning, and what is told of those of users. */
function flowControl({ pool }: LifecycleOptions, gateway: GatewayClient): Work {
  const changes = new ChangedKeys(
    pool,
    FLOW_RESOURCES.map((resource) => ({ resource })),
  );
  const flows = new FlowControl(gateway);
  return {
    name: 'flow control',
    everyMs: ROUND_MS,
    quietMs: SAFETY_MS,
    round: async (fence) => flows.round(await changes.lookUnder(fence)),
  };
}

/** Kinds that users define; what is served is in the registry then, for the others to find, and registered. */
function defining(
  { pool, defined: bell }: LifecycleOptions,
  { gateway, registry: served }: { gateway: GatewayClient; registry: Registry },
): Work[] {
  const changes = new ChangedKeys(pool, [{ resource: DEFINITIONS }]);
  const registrations = new ChangedKeys(pool, [{ resource: API_SERVICES }]);
  const definitions = new Definitions({ pool, gateway, own: builtInRegistry(), served });
  const apiServices = new ApiServices(gateway, served);
  let definedUnder: number | undefined;
  const define = async (fence: number) => {
    const hasMore = await definitions.round(await changes.lookUnder(fence));
    definedUnder = fence;
    return hasMore;
  };
  const register = async (fence: number) => {
    // what nobody serves is not registered any more: what is served must be known by then
    if (definedUnder === fence) await apiServices.round(await registrations.lookUnder(fence));
  };
  return [
    { name: 'definitions', everyMs: DEFINITIONS_MS, quietMs: SAFETY_MS, bell, round: define },
    { name: 'registrations', everyMs: ROUND_MS, quietMs: SAFETY_MS, round: register },
  ];
}

/** What must be there: made when it is missing, put right when it is changed. */
function furnishing(
  { config, controllers, pool }: LifecycleOptions,
  { gateway, registry }: { gateway: GatewayClient; registry: Registry },
): Work {
  const wanted = belongings(config, controllers);
  const { gatewayUrl, advertiseAddress: advertiseAddresses } = config;
  const changes = new ChangedKeys(pool, [
    { resource: 'namespaces' },
    ...wanted.map(({ resource, name }) => ({ resource, name })),
    ...['services', 'endpoints', 'endpointslices.discovery.k8s.io'].map((resource) => ({
      resource,
      name: 'kubernetes',
    })),
  ]);
  const parts = [
    new Belongings({ pool, gateway, wanted }),
    new OwnService({ gateway, gatewayUrl, advertiseAddresses }),
    new FirstObjects(gateway, config.serviceClusterIpRange),
    ...(controllers.has('namespace-controller') ? [new LeftBehind({ pool, gateway, registry })] : []),
  ];
  const round = async (fence: number) => {
    const changed = await changes.lookUnder(fence);
    const done = await Promise.allSettled(parts.map((part) => part.round(changed)));
    const failed = done.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  };
  return { name: 'furnishing', everyMs: ROUND_MS, round };
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
  const told = authenticationData(config);
  if (controllers.has('root-ca-certificate-publisher-controller') && Object.keys(told).length > 0) {
    wanted.push({
      namespace: 'kube-system',
      resource: 'configmaps',
      name: 'extension-apiserver-authentication',
      kind: 'ConfigMap',
      content: { data: told },
    });
  }
  return wanted;
}

/** By what servers behind the API know clients, and the gateways. */
function authenticationData(config: StoreConfig): Record<string, string> {
  const { clientCaFile } = config;
  const clients = clientCaFile === '' ? {} : { 'client-ca-file': readFileSync(clientCaFile, 'utf8') };
  return { ...clients, ...requestHeaderData(config) };
}

function gatewayOf(config: StoreConfig, more: { log: Kit['log']; timeoutMs?: number }): GatewayClient {
  const { gatewayUrl: url, gatewayCaFile: caFile, gatewayTokenFile: tokenFile } = config;
  const { gatewayCertFile: certFile, gatewayKeyFile: keyFile } = config;
  return new GatewayClient({ url, caFile, certFile, keyFile, tokenFile, ...more });
}
