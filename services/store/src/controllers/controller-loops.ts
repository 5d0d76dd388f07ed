import { API_SERVICES, builtInRegistry, DEFINITIONS, type Registry, readRuntimeConfig } from '@tidegate/kinds';
import type { Closing, Kit } from '@tidegate/service-kit';
import { ApiServiceController } from './apis/api-service-controller.ts';
import { DefinitionController } from './apis/definition-controller.ts';
import { AggregatedRoles, CLUSTER_ROLES } from './bootstrap/aggregated-roles.ts';
import { BootstrapPolicy } from './bootstrap/bootstrap-policy.ts';
import { FirstObjects } from './bootstrap/first-objects.ts';
import { FLOW_RESOURCES, FlowControl } from './bootstrap/flow-control.ts';
import { KubernetesService } from './bootstrap/kubernetes-service.ts';
import { GarbageCollector } from './deletion/garbage-collector.ts';
import { protectedResources, StorageProtection } from './deletion/storage-protection.ts';
import type { ControllerName } from './enabled-controllers.ts';
import { ChangedKeys } from './leader/changed-keys.ts';
import type { ReconcileLoop } from './leader/reconcile-loop.ts';
import type { ControllerMetrics } from './metrics.ts';
import { defaultObjects } from './namespaces/default-objects.ts';
import { LeftoverContents } from './namespaces/leftover-contents.ts';
import { NamespaceController } from './namespaces/namespace-controller.ts';
import { NamespaceDefaults } from './namespaces/namespace-defaults.ts';
import { RemoteContents } from './namespaces/remote-contents.ts';
import { ResourceQuotas } from './namespaces/resource-quotas.ts';
import type { ControllerConfig } from './options.ts';
import type { ControllerPort, Gateway } from './port.ts';

const PASS_MS = 250;
/** for loops that wait only for changes: a pass without a change is a safeguard */
const SAFETY_MS = 10_000;
/** definitions that other replicas have written are found within this time */
const DEFINITIONS_MS = 100;

interface LoopsOptions {
  readonly config: ControllerConfig;
  readonly controllers: ReadonlySet<ControllerName>;
  readonly port: ControllerPort;
  readonly gateway: Gateway;
  /** for requests that aggregated API servers answer */
  readonly remoteGateway: Gateway;
  readonly metrics: ControllerMetrics;
  readonly kit: Kit;
  readonly closing: Closing;
}

/** All loops that work through a gateway. They share the registry, which knows the defined custom kinds. */
export function controllerLoops(options: LoopsOptions): ReconcileLoop[] {
  const registry = registryOf(options);
  return [
    namespaceDefaults(options, registry),
    policy(options),
    flowControl(options),
    ...apis(options, registry),
    namespaces(options, registry),
    ...garbage(options, registry),
    ...quotas(options),
    ...storageProtection(options),
  ];
}

function registryOf({ config }: LoopsOptions): Registry {
  return builtInRegistry(readRuntimeConfig(config.runtimeConfig));
}

/** The default objects of namespaces, the first objects of a cluster, and objects whose namespace is gone. */
function namespaceDefaults({ config, controllers, port, gateway }: LoopsOptions, registry: Registry): ReconcileLoop {
  const { objects } = port;
  const wanted = defaultObjects(config, controllers);
  const { gatewayUrl, advertiseAddress: advertiseAddresses } = config;
  const changes = new ChangedKeys(port.changes, [
    { resource: 'namespaces' },
    ...wanted.map(({ resource, name }) => ({ resource, name })),
    ...['services', 'endpoints', 'endpointslices.discovery.k8s.io'].map((resource) => ({
      resource,
      name: 'kubernetes',
    })),
  ]);
  const parts = [
    new NamespaceDefaults({ objects, gateway, wanted }),
    new KubernetesService({ gateway, gatewayUrl, advertiseAddresses }),
    new FirstObjects(gateway, config.serviceClusterIpRange),
    ...(controllers.has('namespace-controller') ? [new LeftoverContents({ objects, gateway, registry })] : []),
  ];
  const reconcile = async (fence: number) => {
    const changed = await changes.nextUnder(fence);
    await allSettled(parts.map((part) => part.reconcile(changed)));
  };
  return { name: 'furnishing', everyMs: PASS_MS, reconcile };
}

/** Bootstrap roles and bindings, and aggregated roles. */
function policy({ controllers, kit, port, gateway }: LoopsOptions): ReconcileLoop {
  const changes = new ChangedKeys(port.changes, [{ resource: CLUSTER_ROLES }]);
  const bootstrap = new BootstrapPolicy(gateway, kit.faults.place('provide the first roles and bindings').failed);
  const aggregates = controllers.has('clusterrole-aggregation-controller');
  const aggregated = new AggregatedRoles(gateway);
  const reconcile = async (fence: number) => {
    const changed = await changes.nextUnder(fence);
    const isFirst = changed === undefined;
    await allSettled([bootstrap.reconcile(isFirst), aggregates ? aggregated.reconcile(changed) : undefined]);
  };
  return { name: 'policy', everyMs: PASS_MS, longestIdleMs: SAFETY_MS, reconcile };
}

/** Bootstrap priority levels and flow schemas, and the conditions of all flow schemas. */
function flowControl({ port, gateway }: LoopsOptions): ReconcileLoop {
  const changes = new ChangedKeys(
    port.changes,
    FLOW_RESOURCES.map((resource) => ({ resource })),
  );
  const flows = new FlowControl(gateway);
  const reconcile = async (fence: number) => flows.reconcile(await changes.nextUnder(fence));
  return { name: 'flow control', everyMs: PASS_MS, longestIdleMs: SAFETY_MS, reconcile };
}

/** Custom kinds, which the registry then serves to the other loops, and the APIServices of all kinds. */
function apis(options: LoopsOptions, served: Registry): ReconcileLoop[] {
  const { port, gateway } = options;
  const { objects, definitionWritten: wakeup } = port;
  const changes = new ChangedKeys(port.changes, [{ resource: DEFINITIONS }]);
  const registrations = new ChangedKeys(port.changes, [{ resource: API_SERVICES }]);
  const own = registryOf(options);
  const definitions = new DefinitionController({ objects, gateway, own, served });
  const apiServices = new ApiServiceController(gateway, served);
  let definedUnder: number | undefined;
  const define = async (fence: number) => {
    const hasMore = await definitions.reconcile(await changes.nextUnder(fence));
    definedUnder = fence;
    return hasMore;
  };
  const register = async (fence: number) => {
    // APIServices of kinds that are not served are deleted, so all definitions must be known first
    if (definedUnder === fence) await apiServices.reconcile(await registrations.nextUnder(fence));
  };
  return [
    { name: 'definitions', everyMs: DEFINITIONS_MS, longestIdleMs: SAFETY_MS, wakeup, reconcile: define },
    { name: 'registrations', everyMs: PASS_MS, longestIdleMs: SAFETY_MS, reconcile: register },
  ];
}

function namespaces({ controllers, port, gateway, remoteGateway }: LoopsOptions, registry: Registry): ReconcileLoop {
  const finalizes = controllers.has('namespace-controller');
  const remote = new RemoteContents(remoteGateway);
  const { objects, reads } = port;
  const controller = new NamespaceController({ objects, reads, gateway, registry, remote, finalizes });
  return { name: 'namespaces', everyMs: PASS_MS, reconcile: () => controller.reconcile() };
}

function garbage(
  { controllers, port, gateway, metrics, kit, closing }: LoopsOptions,
  registry: Registry,
): ReconcileLoop[] {
  if (!controllers.has('garbage-collector-controller')) return [];
  const { garbage: queue, ownership, reads } = port;
  const { log } = kit;
  const collector = new GarbageCollector({ queue, ownership, reads, gateway, registry, metrics, log, closing });
  return [{ name: 'garbage', everyMs: PASS_MS, reconcile: () => collector.reconcile() }];
}

function quotas({ controllers, port, gateway, kit }: LoopsOptions): ReconcileLoop[] {
  if (!controllers.has('resourcequota-controller')) return [];
  const { changes, objects } = port;
  const uncounted = kit.faults.place('count what quotas limit');
  const controller = new ResourceQuotas({ changes, objects, gateway, uncounted });
  return [{ name: 'quotas', everyMs: PASS_MS, reconcile: (fence) => controller.reconcile(fence) }];
}

function storageProtection({ controllers, port, gateway }: LoopsOptions): ReconcileLoop[] {
  const resources = protectedResources(controllers);
  if (resources.length === 0) return [];
  const changes = new ChangedKeys(
    port.changes,
    resources.map((resource) => ({ resource })),
  );
  const protection = new StorageProtection({ objects: port.objects, gateway, resources });
  const reconcile = async (fence: number) => protection.reconcile(await changes.nextUnder(fence));
  return [{ name: 'storage', everyMs: PASS_MS, reconcile }];
}

/** Waits for all parts, because each change is passed to a part only once, and then throws the first failure. */
async function allSettled(parts: ReadonlyArray<Promise<void> | undefined>): Promise<void> {
  const failed = (await Promise.allSettled(parts)).find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
