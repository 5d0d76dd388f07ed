import { isJsonObject, type JsonObject, listOf } from '@tidegate/schema';
import type { ByResource, Family, QuotaUsage } from '../family.ts';
import type { KindRules } from '../kind-entry.ts';
import { type Usage, whole } from '../rules/amounts.ts';
import { unchanged } from '../rules/checks.ts';
import { type DefaultRules, defaulter, IfAbsent, NotZero, type SetDefaults } from '../rules/default-rules.ts';
import { partOf, textFields } from '../rules/fields.ts';
import type { UpdateChecks } from '../rules/type-rules.ts';
import { serviceClaims } from './addresses.ts';
import { columns } from './columns.ts';
import { endpointSliceChecks } from './endpoint-slices.ts';
import { serviceChecks, serviceUpdate } from './validation.ts';
import { warnings } from './warnings.ts';

const serviceDefaults: DefaultRules = {
  'spec.type': 'ClusterIP',
  'spec.sessionAffinity': 'None',
  'spec.sessionAffinityConfig': ({ sessionAffinity }) =>
    sessionAffinity === 'ClientIP' ? { clientIP: { timeoutSeconds: 10800 } } : undefined,
  'spec.sessionAffinityConfig.clientIP': {},
  'spec.sessionAffinityConfig.clientIP.timeoutSeconds': 10800,
  'spec.ports[].protocol': 'TCP',
  'spec.ports[].targetPort': new NotZero(({ port }) => port),
  'spec.internalTrafficPolicy': new IfAbsent(({ type }) => (type === 'ExternalName' ? undefined : 'Cluster')),
  'spec.externalTrafficPolicy': (spec) => (isReachedFromOutside(spec) ? 'Cluster' : undefined),
  'spec.allocateLoadBalancerNodePorts': ({ type }) => (type === 'LoadBalancer' ? true : undefined),
};

function isReachedFromOutside({ type, externalIPs }: JsonObject): boolean {
  if (type === 'ClusterIP') return Array.isArray(externalIPs) && externalIPs.length > 0;
  return type === 'NodePort' || type === 'LoadBalancer';
}

const setService = defaulter(serviceDefaults);

/** An update without the cluster IP keeps it. */
function keepAddress(service: JsonObject, old: JsonObject): void {
  const [spec, before] = [service.spec, old.spec];
  if (!isJsonObject(spec) || !isJsonObject(before)) return;
  const isExternal = spec.type === 'ExternalName' || before.type === 'ExternalName';
  if (!isExternal && (!spec.clusterIP || (spec.clusterIP === before.clusterIP && spec.clusterIPs === undefined))) {
    for (const name of ['clusterIP', 'clusterIPs']) if (before[name] !== undefined) spec[name] = before[name];
  }
  listAddress(service);
}

/** clusterIP is also the first of clusterIPs. */
function listAddress({ spec }: JsonObject): void {
  if (isJsonObject(spec) && spec.clusterIP && spec.clusterIPs === undefined) spec.clusterIPs = [spec.clusterIP];
}

function addService(usage: Usage, service: JsonObject): void {
  const spec = partOf(service, 'spec');
  const ports = listOf(spec, 'ports');
  const isBalanced = spec.type === 'LoadBalancer';
  const given = ports.filter(({ nodePort }) => Boolean(nodePort)).length;
  const balanced = spec.allocateLoadBalancerNodePorts === false ? given : ports.length;
  const nodePorts = isBalanced ? balanced : spec.type === 'NodePort' ? ports.length : 0;
  usage.set('services', whole(1));
  usage.set('services.nodeports', whole(nodePorts));
  usage.set('services.loadbalancers', whole(isBalanced ? 1 : 0));
}

const defaults: ByResource<SetDefaults> = {
  'endpointslices.discovery.k8s.io': defaulter({ 'ports[].name': '', 'ports[].protocol': new IfAbsent('TCP') }),
  endpoints: defaulter({ 'subsets[].ports[].protocol': 'TCP' }),
  services: (object) => {
    // without affinity the configuration is removed
    if (isJsonObject(object.spec) && (object.spec.sessionAffinity || 'None') === 'None') {
      delete object.spec.sessionAffinityConfig;
    }
    setService(object);
  },
};

const rules: ByResource<KindRules> = {
  endpoints: {
    createsOnUpdate: true,
    deprecated: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  },
  services: {
    name: 'label-1035',
    createsOnUpdate: true,
    claims: serviceClaims,
    pairedResource: 'endpoints',
    prepareCreate: listAddress,
    prepareUpdate: keepAddress,
    deleteReturnsObject: true,
    selectableFields: textFields({ 'spec.clusterIP': '', 'spec.type': '' }),
  },
  'endpointslices.discovery.k8s.io': { generationPaths: ['addressType', 'endpoints', 'ports', 'metadata.labels'] },
};

const updates: ByResource<UpdateChecks> = {
  services: { '': serviceUpdate },
  'endpointslices.discovery.k8s.io': { addressType: unchanged },
};

const usage: ByResource<QuotaUsage> = {
  services: { names: ['services', 'services.nodeports', 'services.loadbalancers'], add: addService },
};

const dropped = { 'discovery.v1.Endpoint': ['deprecatedTopology'] };

export const services: Family = {
  rules,
  defaults,
  dropped,
  columns,
  updates,
  warnings,
  usage,
  types: { ...serviceChecks, ...endpointSliceChecks },
};
